const triesMax = 5
const timeoutMs = 10_000
const longestWaitSeconds = 60
const firstBoundMs = 250

async function send(method, path, body, idempotencyKey) {
  const response = await fetch(process.env.PETSTORE_URL + path, {
    method,
    headers: {
      'X-API-Key': process.env.PETSTORE_API_KEY,
      'Idempotency-Key': idempotencyKey,
      'Content-Type': 'application/json',
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  return { response, result: response.status === 204 ? undefined : JSON.parse(text) }
}

async function request(method, path, body) {
  const idempotencyKey = crypto.randomUUID()
  for (let attempt = 0; ; attempt++) {
    // Without a response, or with half of one, there is only the error.
    const { response, result, error } = await send(method, path, body, idempotencyKey).catch((error) => ({ error }))
    if (response?.ok) return result
    const isWorthRetrying =
      error || [429, 500, 503].includes(response.status) || result.code === 'idempotency_in_progress'
    const waitSeconds = Number(response?.headers.get('Retry-After') ?? 0)
    if (!isWorthRetrying || waitSeconds > longestWaitSeconds || attempt + 1 === triesMax) {
      throw error ?? new Error(`${result.code}: ${result.message}`)
    }
    // Full jitter on top of what the service asks for.
    const jitterMs = Math.random() * firstBoundMs * 2 ** attempt
    await new Promise((done) => setTimeout(done, waitSeconds * 1000 + jitterMs))
  }
}

console.log(JSON.stringify(await request('POST', '/pets', { name: 'Bess', categoryId: 1 }), null, 2))
