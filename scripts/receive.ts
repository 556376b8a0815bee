// A webhook receiver for testing: verifies and prints what arrives. npm run receive
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { verifyWebhook } from '../sdk/src/verify-webhook.ts'

const usage = `Usage: npm run receive -- [options]
Listens on this machine, verifies the signature of each event that arrives, and prints it.
With PETSTORE_API_KEY it creates a webhook for itself and deletes it at the end. The service must run with
WEBHOOK_ALLOW_PRIVATE=true to send to this machine. Without a key, set WEBHOOK_SECRET.
  --port <number>        the port to listen on (default: a free port)
  --events <type,…>      the events to receive (default: all)
  --help                 show this help
Settings: PETSTORE_API_KEY, PETSTORE_URL (default http://127.0.0.1:8080), WEBHOOK_SECRET`

const say = (text: string) => process.stdout.write(`${text}\n`)

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { port: text, events: text, help: { type: 'boolean' } } })
const { PETSTORE_API_KEY: key, PETSTORE_URL: service = 'http://127.0.0.1:8080' } = process.env
let secret = process.env.WEBHOOK_SECRET

if (values.help || (key === undefined && secret === undefined)) {
  say(usage)
  process.exit(values.help ? 0 : 1)
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secret ?? '')
    response.writeHead(204).end()
    say(`${event.type} ${event.id} has a valid signature\n${JSON.stringify(event, null, 2)}`)
  } catch (error) {
    response.writeHead(400).end()
    say(`rejected: ${error instanceof Error ? error.message : error}`)
  }
})
await new Promise<void>((resolve) => server.listen(Number(values.port ?? 0), '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

const call = (method: string, path: string, body?: object) =>
  fetch(service + path, {
    method,
    headers: { 'X-API-Key': key ?? '', 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

if (key !== undefined) {
  const response = await call('POST', '/webhooks', { url, events: values.events?.split(',') ?? ['*'] }).catch(() => {
    process.stderr.write(
      `Nothing responds at ${service}. Start the service with WEBHOOK_ALLOW_PRIVATE=true npm start, or set PETSTORE_URL to another one.\n`,
    )
    process.exit(1)
  })
  const made = (await response.json()) as { id: number; secret: string; message: string }
  if (response.status !== 201) {
    process.stderr.write(`The webhook could not be created: ${made.message}\n`)
    process.exit(1)
  }
  secret = made.secret
  const end = async () => {
    await call('DELETE', `/webhooks/${made.id}`)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  say(`Webhook ${made.id} of ${service} sends here until you press Ctrl-C.`)
}
say(`Listening on ${url}`)
