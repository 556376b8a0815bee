import { createHmac, timingSafeEqual } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET = '', PORT = '9000', INBOX = 'inbox.ndjson' } = process.env
const secret = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
// Without a secret, anyone could sign.
if (secret.length < 24) throw new Error('Set WEBHOOK_SECRET to the secret of your webhook, whsec_…')
const toleranceSeconds = 5 * 60
const bodyBytesMax = 1_000_000
// The ids of the events in the inbox: a delivery may be repeated.
const stored = new Set(
  existsSync(INBOX)
    ? readFileSync(INBOX, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).id)
    : [],
)

function isGenuine(id, timestamp, signatures, body) {
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(ageSeconds <= toleranceSeconds)) return false
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

async function readBody(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > bodyBytesMax) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function receive(request, response) {
  // Verify the raw bytes: JSON that is parsed and serialized again may differ.
  const body = await readBody(request)
  const header = (name) => String(request.headers[name] ?? '')
  const id = header('webhook-id')
  if (!isGenuine(id, header('webhook-timestamp'), header('webhook-signature'), body)) {
    process.stdout.write('rejected\n')
    response.writeHead(400).end()
    return
  }
  // Store first, then respond: after a 2xx the event is not sent again. Process the inbox elsewhere, at its own pace.
  if (!stored.has(id)) {
    appendFileSync(INBOX, `${body}\n`, { flush: true })
    stored.add(id)
    process.stdout.write(`${JSON.parse(String(body)).type} ${id}\n`)
  }
  response.writeHead(204).end()
}

// A request that breaks off must not end the receiver.
const server = createServer((request, response) => receive(request, response).catch(() => response.destroy()))
server.listen(Number(PORT), () => process.stdout.write(`listening on port ${server.address().port}\n`))
