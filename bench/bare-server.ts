// The ceiling: Bun.serve with constant answers of the same size, and nothing else.
const pet = { id: 7, name: 'Rex', categoryId: 1, status: 'available' }
const one = JSON.stringify(pet)
const page = JSON.stringify(Array.from({ length: 20 }, (_, index) => ({ ...pet, id: index + 1 })))
const headers = { 'Content-Type': 'application/json' }

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  routes: {
    '/pets/:petId': () => new Response(one, { headers }),
    '/pets': () => new Response(page, { headers }),
  },
})
process.stdout.write(`The bare server is ready on port ${server.port}.\n`)
