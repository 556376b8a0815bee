// json-server on the same pets, as its command line serves them: a file in memory, no keys, no limits, nothing durable.
import jsonServer from 'json-server'

const { PETS = '1000', PORT } = process.env
const pets = Array.from({ length: Number(PETS) }, (_, index) => ({
  id: index + 1,
  name: `Rex ${index + 1}`,
  categoryId: 1,
  status: 'available',
}))
const server = jsonServer.create()
server.use(jsonServer.defaults({ logger: false }))
server.use(jsonServer.router({ pets }))
const listener = server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`json-server is ready on port ${listener.address().port}.\n`)
})
