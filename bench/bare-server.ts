// The upper bound: Bun.serve with constant responses, bare or with as many headers as this service sends.
const pet = { id: 7, name: 'Rex', categoryId: 1, status: 'available' }
const one = JSON.stringify(pet)
const headers = { 'Content-Type': 'application/json' }
const guide = '<http://localhost:8080/docs/guides/deprecation>'
const fourteen = {
  ...headers,
  'Cache-Control': 'private, no-cache',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Allow, Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Stability',
  Deprecation: '@1793491200',
  Sunset: 'Wed, 30 Jun 2027 23:59:59 GMT',
  Link: `${guide}; rel="deprecation"; type="text/html", ${guide}; rel="sunset"; type="text/html", <http://localhost:8080/pets/7/profile>; rel="successor-version"`,
  'X-Request-Id': '0e5b8f6e-7b1c-4a55-9d5e-3f1f2a7c6b1d',
  'X-RateLimit-Limit': '1000000000',
  'X-RateLimit-Remaining': '999999999',
  'X-RateLimit-Reset': '1794787200',
  'RateLimit-Policy': '"minute";q=1000000000;w=60,"day";q=1000000000;w=86400',
  RateLimit: '"minute";r=999999999;t=42,"day";r=999999999;t=51234',
  ETag: '"hYq2pXhHGfFXyqG4s9Zb9yUqVno"',
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  routes: {
    '/pets/:petId': () => new Response(one, { headers }),
    '/headers/pets/:petId': () => new Response(one, { headers: fourteen }),
  },
})
process.stdout.write(`The bare server is ready on port ${server.port}.\n`)
