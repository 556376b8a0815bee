async function placeOrder(order, idempotencyKey) {
  const response = await fetch(`${process.env.PETSTORE_URL}/store/orders`, {
    method: 'POST',
    headers: {
      'X-API-Key': process.env.PETSTORE_API_KEY,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(order),
    signal: AbortSignal.timeout(10_000),
  })
  const result = await response.json()
  if (response.ok) return `order ${result.id}`
  switch (result.code) {
    case 'insufficient_stock':
    case 'pet_not_available':
      return 'out of stock: choose another pet'
    case 'validation_failed':
      return result.errors.map(({ path, message }) => `${path} ${message}`).join('\n')
    case 'rate_limited':
    case 'quota_exhausted':
    case 'key_banned':
      return `wait for ${response.headers.get('Retry-After')} seconds`
    default:
      throw new Error(`${result.code}: ${result.message} Request ${result.requestId}`)
  }
}

// To try again, send the same key.
const key = crypto.randomUUID()
console.log(await placeOrder({ petId: 1, quantity: 1000 }, key))
