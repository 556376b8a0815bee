// Mixed load on both engines side by side, and what node and database use meanwhile: memory, descriptors, statements, sizes, latencies.
// Run: npm run soak. An hour by default; SOAK_MINUTES, SOAK_PER_SECOND and SOAK_SAMPLES change it.
import { join } from 'node:path'
import { startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { debianPostgres } from '../server/test/harness/run/test-postgres.ts'
import { newDirectory } from '../server/test/harness/scratch.ts'
import { type Sample, soak } from '../server/test/harness/soak.ts'

const { SOAK_MINUTES, SOAK_PER_SECOND, SOAK_SAMPLES } = process.env
const seconds = Number(SOAK_MINUTES ?? 60) * 60
const everySeconds = seconds / Number(SOAK_SAMPLES ?? 12)
const perSecond = Number(SOAK_PER_SECOND ?? 100)
const say = (text: string) => process.stdout.write(`${text}\n`)
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)

const columns: readonly [title: string, show: (sample: Sample) => string | number | undefined][] = [
  ['minute', ({ seconds }) => (seconds / 60).toFixed(1)],
  ['requests', ({ requests }) => requests],
  ['rejected', ({ rejected }) => rejected],
  ['failed', ({ failed }) => failed],
  ['median ms', ({ medianMs }) => medianMs.toFixed(1)],
  ['p99 ms', ({ p99Ms }) => p99Ms.toFixed(1)],
  ['memory MB', ({ memory }) => megabytes(memory)],
  ['descriptors', ({ descriptors }) => descriptors],
  ['connections', ({ connections }) => connections],
  ['statements', ({ statements }) => statements],
  ['data MB', ({ data }) => megabytes(data)],
  ['WAL MB', ({ log }) => megabytes(log)],
  ['webhooks', ({ delivered }) => delivered],
]
const row = (cells: readonly unknown[]) => `| ${cells.map((cell) => cell ?? '–').join(' | ')} |`

async function run(engine: string, databaseUrl: string): Promise<string> {
  const samples: Sample[] = []
  const onSample = (sample: Sample) => {
    samples.push(sample)
    process.stderr.write(`${engine} ${row(columns.map(([, show]) => show(sample)))}\n`)
  }
  await soak({ databaseUrl, seconds, everySeconds, perSecond, onSample })
  const rows = samples.map((sample) => row(columns.map(([, show]) => show(sample))))
  return [`${engine}`, '', row(columns.map(([title]) => title)), row(columns.map(() => '---')), ...rows, ''].join('\n')
}

using home = newDirectory()
const server = await startPostgres(undefined, { programs: debianPostgres() })
const tables = await Promise.all([
  run('SQLite', `sqlite:${join(home.path, 'petstore.db')}`),
  run('PostgreSQL', server.url),
])
await server.remove()
say(tables.join('\n'))
