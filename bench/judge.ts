// What the proxy of `petstore judge` adds to a request, compared with a plain proxy of Bun.serve and fetch in the same run:
// npm run bench -- judge. One request at a time; medians of each way, in turn in every round.
import { join } from 'node:path'
import { root, runProgram } from '../server/test/harness/run/run-service.ts'
import { median } from './report.ts'
import { rounds, say } from './settings.ts'

const goalMs = 1
const requestsPerRound = 1_000
const self = join(root, 'bench/judge.ts')

/** The programs of this bench: each is a process. */
const roles: Readonly<Record<string, () => unknown>> = {
  upstream: () =>
    print(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ id: 1 }) }).url.origin),
  proxy() {
    const upstream = process.argv[4] ?? ''
    const pass = async (request: Request) => {
      const { pathname, search } = new URL(request.url)
      const { method, headers, body } = request
      return fetch(upstream + pathname + search, { method, headers, body, redirect: 'manual' })
    }
    print(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: pass }).url.origin)
  },
  async client() {
    const { JUDGE_URL = '', DIRECT_URL = '', PLAIN_URL = '' } = process.env
    const urls = { direct: DIRECT_URL, plain: PLAIN_URL, judge: JUDGE_URL }
    const medians: Record<string, number[]> = { direct: [], plain: [], judge: [] }
    for (let round = 0; round <= rounds; round++)
      for (const [name, url] of Object.entries(urls)) {
        const found = await measure(url)
        // The first round warms up.
        if (round > 0) medians[name]?.push(found)
      }
    print(JSON.stringify(Object.fromEntries(Object.entries(medians).map(([name, all]) => [name, median(all)]))))
  },
}

async function measure(url: string): Promise<number> {
  const times: number[] = []
  for (let sent = 0; sent < requestsPerRound; sent++) {
    const before = performance.now()
    await (await fetch(`${url}/items/1`, { method: 'POST', body: '{"item":1}' })).text()
    times.push(performance.now() - before)
  }
  return median(times)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function start(...words: string[]) {
  const program = runProgram({ command: ['bun', self, 'as', ...words], readyWhen: /\n/ })
  await program.ready
  return { url: program.output().trim(), [Symbol.asyncDispose]: async () => void (await program.kill('SIGKILL')) }
}

async function compare(): Promise<void> {
  await using upstream = await start('upstream')
  await using plain = await start('proxy', upstream.url)
  const judge = ['bun', join(root, 'cli/src/petstore.ts'), 'judge', '--upstream', upstream.url, '--only', 'slow']
  const child = Bun.spawn([...judge, '--', 'bun', self, 'as', 'client'], {
    env: { ...process.env, DIRECT_URL: upstream.url, PLAIN_URL: plain.url },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = await child.stdout.text()
  const found = JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '{}') as Record<string, number>
  const ms = (name: string) => `${(found[name] ?? Number.NaN).toFixed(2)} ms`
  const added = (found.judge ?? Number.NaN) - (found.plain ?? Number.NaN)
  say(
    `median of a request: direct ${ms('direct')}, through a plain proxy ${ms('plain')}, through petstore judge ${ms('judge')}`,
  )
  say(
    `added to the plain proxy: ${added.toFixed(2)} ms; goal: at most ${goalMs} ms (${added <= goalMs ? 'met' : 'falls short'})`,
  )
}

const [, , word, role = ''] = process.argv
await (word === 'as' ? roles[role]?.() : compare())
