import { createHmac, timingSafeEqual } from 'node:crypto'

// A client written from /llms.txt and the Markdown pages alone, with nothing but fetch. Each comment quotes the page that asks for it.

interface Settings {
  readonly url: string
  readonly apiKey: string
  readonly wait: (ms: number) => Promise<unknown>
  readonly random: () => number
}

interface Call {
  readonly body?: object
  readonly headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: a plain client reads the fields that the pages name
const json = (response: { json: () => Promise<unknown> }): Promise<any> => response.json()

const attemptsMax = 6
const firstBoundMs = 500
const retryAfterMaxSeconds = 300
const isRetried = async (response: Response): Promise<boolean> =>
  [429, 500, 503].includes(response.status) ||
  (response.status === 409 && (await json(response.clone())).code === 'idempotency_in_progress')

export function documentedClient({ url, apiKey, wait, random }: Settings) {
  const once = (method: string, target: string, { body, headers }: Call) =>
    fetch(target.startsWith('http') ? target : url + target, {
      method,
      // A connection that was open before could make the runtime repeat a request automatically.
      keepalive: false,
      // llms.txt: "Send the API key in the X-API-Key header, never in a URL."
      headers: { 'X-API-Key': apiKey, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined)

  /** idempotent-retries.md: which responses to retry, and after how long. */
  async function request(method: string, target: string, call: Call = {}): Promise<Response> {
    // llms.txt: "Send an Idempotency-Key with every POST, and the same key and body when you retry it."
    const headers = { ...call.headers, ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }) }
    for (let attempt = 0; ; attempt++) {
      const response = await once(method, target, { ...call, headers })
      if (response && !(await isRetried(response))) return response
      const askedSeconds = Number(response?.headers.get('Retry-After') ?? 0)
      if (attempt + 1 === attemptsMax || askedSeconds > retryAfterMaxSeconds)
        throw new Error(`${method} ${target} failed`)
      // limits.md: full jitter, on top of Retry-After.
      await wait(askedSeconds * 1000 + random() * firstBoundMs * 2 ** attempt)
    }
  }

  return {
    request,

    async read(target: string) {
      const response = await request('GET', target)
      return { response, etag: response.headers.get('ETag') ?? '', body: await json(response) }
    },

    async create(target: string, body: object) {
      const response = await request('POST', target, { body })
      if (!response.ok) throw new Error(`${target}: ${(await json(response)).code}`)
      return json(response)
    },

    /** pagination.md: "Follow the link as it is." */
    async *list(path: string) {
      for (let target: string | undefined = path; target; ) {
        const response: Response = await request('GET', target)
        yield* (await response.json()) as { readonly id: number }[]
        target = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
      }
    },

    /** conditional-requests.md: "Read the resource again, reapply your change, and send it with the new ETag." */
    async edit(path: string, readFrom: string, change: object) {
      for (;;) {
        const { etag } = await this.read(readFrom)
        const response = await request('PATCH', path, { body: change, headers: { 'If-Match': etag } })
        if (response.status !== 412) return json(response)
      }
    },

    /** deprecation.md: the successor is in Link. Uses it for reads as soon as a response names it. */
    async leaveDeprecated(path: string) {
      const response = await request('GET', path)
      const successor = /<([^>]*)>; rel="successor-version"/.exec(response.headers.get('Link') ?? '')?.[1]
      return response.headers.has('Deprecation') && successor
        ? (await request('GET', successor)).json()
        : response.json()
    },

    /** events.md: "reopen it with the last id you received in the Last-Event-ID header". */
    async *follow(path: string, onOpen: () => void) {
      let last: string | undefined
      for (;;) {
        const response = await request('GET', path, { headers: last ? { 'Last-Event-ID': last } : {} })
        onOpen()
        let text = ''
        try {
          for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
            text += piece
            const messages = text.split('\n\n')
            text = messages.pop() ?? ''
            for (const message of messages) {
              last = /^id: ?(.*)$/m.exec(message)?.[1] ?? last
              const data = /^data: ?(.*)$/m.exec(message)?.[1]
              if (data) yield JSON.parse(data)
            }
          }
        } catch {
          // The connection broke: the stream is opened again, after the last message.
        }
      }
    },
  }
}

/** webhooks.md: "an HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes of the secret", and not older than five minutes. */
export function isGenuine(headers: Headers, body: string, secret: string, nowMs: number): boolean {
  const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return (headers.get('webhook-signature') ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
