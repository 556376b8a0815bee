import { readFileSync } from 'node:fs'
import { load, type Measured, processorSeconds, type Target } from './load.ts'
import { median, metOr } from './report.ts'
import { type Server, startService } from './servers.ts'

const grownMax = 1.2
const startMsMax = 500
const list = '/pets?limit=20&status=available'

/** The address of a page far beyond the first: the list's cursor with a different position in it. */
async function pageFrom(server: Server, headers: Record<string, string>, id: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}${list}`, { headers })
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(response.headers.get('link') ?? '') ?? []
  const [belongsTo] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return `${list}&cursor=${Buffer.from(JSON.stringify([belongsTo, id])).toString('base64url')}`
}

/** Compares a shop of a million pets with one of a thousand: the cost of reads, and the start of the large one. */
export async function millionTable(
  shops: { small: string; large: string },
  headers: Record<string, string>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<string> {
  const [small, large] = [await startService(shops.small), await startService(shops.large)]
  const target = (server: Server, path: string): Target => ({ server, path, headers })
  const deep = await pageFrom(large, headers, 200_000)
  const pairs = [
    { work: 'pet by id', few: target(small, '/pets/500'), many: target(large, '/pets/500000') },
    { work: 'first page', few: target(small, list), many: target(large, list) },
    {
      work: 'ten-thousandth page, against the first of the small shop',
      few: target(small, list),
      many: target(large, deep),
    },
  ]
  const measured = pairs.map(() => [] as { few: Measured; many: Measured }[])
  for (let round = -1; round < rounds; round++) {
    for (const [index, { few, many }] of pairs.entries()) {
      const pair = { few: await load(few, seconds), many: await load(many, seconds) }
      if (round >= 0) measured[index]?.push(pair)
    }
  }
  await Promise.all([small.stop(), large.stop()])
  const cost = ({ cpuMicroseconds = Number.NaN }: Measured) => cpuMicroseconds
  const lines = pairs.map(({ work }, index) => {
    const all = measured[index] ?? []
    const grown = median(all.map(({ few, many }) => cost(many) / cost(few)))
    const [few, many] = [median(all.map((one) => cost(one.few))), median(all.map((one) => cost(one.many)))]
    return `| ${work} | ${few.toFixed(0)} | ${many.toFixed(0)} | ${grown.toFixed(2)} × | ${grownMax} ×: ${metOr(grown <= grownMax)} |`
  })
  return [
    '## 1,000,000 pets against 1,000, on SQLite',
    '',
    '| | µs, 1,000 pets | µs, 1,000,000 pets | grown to | goal, at most |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
    await startLine(shops.large, headers),
  ].join('\n')
}

async function startLine(databaseUrl: string, headers: Record<string, string>): Promise<string> {
  const passed: number[] = []
  const spent: number[] = []
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    const server = await startService(databaseUrl)
    const response = await fetch(`http://127.0.0.1:${server.port}/pets/500000`, { headers })
    if (!response.ok) throw new Error(await response.text())
    passed.push(performance.now() - began)
    spent.push((processorSeconds(server.pid) ?? Number.NaN) * 1000)
    await server.stop()
  }
  const [load1] = readFileSync('/proc/loadavg', 'utf8').split(' ')
  const [ms, cpuMs] = [median(passed), median(spent)]
  return `Start on 1,000,000 pets to the first response: ${ms.toFixed(0)} ms (${passed.map((one) => one.toFixed(0)).join(', ')}), of which ${cpuMs.toFixed(0)} ms of processor; load of the machine meanwhile ${load1}. Goal ${startMsMax} ms: ${metOr(ms <= startMsMax)}.`
}
