// What streams that catch up cost other readers on SQLite: the p99 of a read while ten streams of one free key read a long log from
// the start, compared with the same read alone, interleaved in one run. Run: npm run bench:catch-up
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { makeKey } from '../server/src/commands/make-key.ts'
import { openSqlite } from '../server/src/platform/db/sqlite.ts'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { load, type Measured, type Target } from './load.ts'
import { median, metOr } from './report.ts'
import { startService } from './servers.ts'
import { makeShop } from './shop.ts'

const [events, streams, rounds, seconds] = [600_000, 10, 5, 4]
const grownMax = 3

/** Fills the event log. */
async function fillLog(path: string): Promise<void> {
  const db = openSqlite(path)
  const data = JSON.stringify({ id: 1, name: 'Rex', categoryId: 1, status: 'available', description: 'x'.repeat(100) })
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${events})
       SELECT (SELECT max(tx) FROM events) + i, 'pet.updated', $1, $2 FROM n`,
      [data, Date.now()],
    ),
  )
  await db.close()
}

/** A stream from the first event on, whose client reads everything. Resolves when the first events have arrived. */
function openStream(port: number, secret: string, first: string): Promise<{ socket: Socket; bytes: () => number }> {
  const socket = connect({ port, host: '127.0.0.1' })
  let bytes = 0
  const head = [`GET /events/stream?after=${first} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `X-API-Key: ${secret}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes > 10_000) resolve({ socket, bytes: () => bytes })
    })
  })
}

const scratch = newDirectory()
const path = join(scratch.path, 'petstore.db')
const secret = newSecret()
await makeShop(`sqlite:${path}`, secret, 1_000)
await fillLog(path)
const { secret: free } = await makeKey(`sqlite:${path}`, { name: 'Free', plan: 'free', preset: 'reader' }, Date.now())
const server = await startService(`sqlite:${path}`)
const target: Target = { server, path: '/pets/500', headers: { 'X-API-Key': secret } }
const page = await fetch(`http://127.0.0.1:${server.port}/events?limit=1`, { headers: target.headers })
const [{ id: first }] = (await page.json()) as [{ id: string }]

const measured: { alone: Measured; beside: Measured; caughtUpMb: number }[] = []
for (let round = 0; round < rounds; round++) {
  const alone = await load(target, seconds)
  const open = await Promise.all(Array.from({ length: streams }, () => openStream(server.port, free as string, first)))
  const beside = await load(target, seconds)
  measured.push({ alone, beside, caughtUpMb: open.reduce((sum, { bytes }) => sum + bytes(), 0) / 1e6 })
  for (const { socket } of open) socket.destroy()
}
await server.stop()
scratch.remove()

const grown = median(measured.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms))
const p99 = (side: 'alone' | 'beside') => median(measured.map((round) => round[side].p99Ms)).toFixed(1)
const rate = (side: 'alone' | 'beside') => median(measured.map((round) => round[side].perSecond)).toFixed(0)
process.stdout.write(
  [
    `p99 of a pet alone ${p99('alone')} ms (${rate('alone')} a second), beside ${streams} streams that catch up with ${events} events ${p99('beside')} ms (${rate('beside')} a second)`,
    `grown to ${grown.toFixed(2)} ×, goal at most ${grownMax} ×: ${metOr(grown <= grownMax)}`,
    `the streams got ${median(measured.map(({ caughtUpMb }) => caughtUpMb)).toFixed(0)} MB in a round`,
    '',
  ].join('\n'),
)
