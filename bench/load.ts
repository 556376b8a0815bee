import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

export const connections = 64

export interface Target {
  readonly server: { readonly port: number; readonly pid: number }
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** If present, the requests are POSTs with these bodies in turn; otherwise GETs. */
  readonly bodies?: readonly string[] | undefined
}

export interface Measured {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
  /** Responses that were not 2xx. */
  readonly rejected: number
  /** CPU time of the server per request: steadier than requests per second on a shared machine. */
  readonly cpuMicroseconds?: number
}

const hasWrk = Bun.which('wrk') !== null
const canPin = Bun.which('taskset') !== null && availableParallelism() >= 2

/** Pins a command to a core: the server to the first, the load to the second, so that they do not compete. */
export const pinned = (core: 0 | 1, words: string[]): string[] =>
  canPin ? ['taskset', '-c', String(core), ...words] : words

export const setup = `load by ${hasWrk ? 'wrk' : 'our own generator (slower than wrk: trust the ratios by processor time)'}, ${canPin ? 'server and load on a core each' : 'NOT PINNED: the figures mean little'}`

/** The request for a kind of work, with the shop's key. */
export function targetOf(
  server: Target['server'],
  { path, bodies }: Pick<Target, 'path' | 'bodies'>,
  secret: string,
): Target {
  const type = bodies && { 'Content-Type': 'application/json' }
  return { server, path, headers: { 'X-API-Key': secret, ...type }, bodies }
}

export async function load(target: Target, seconds: number): Promise<Measured> {
  const before = processorSeconds(target.server.pid)
  const measured = await (hasWrk ? wrk(target, seconds) : ownLoad(target, seconds))
  const after = processorSeconds(target.server.pid)
  if (before === undefined || after === undefined) return measured
  return { ...measured, cpuMicroseconds: ((after - before) / measured.requests) * 1_000_000 }
}

/** CPU time that a process has used, if the system reports it. */
export function processorSeconds(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  // The name in brackets may contain spaces, so fields are counted after it; a tick is 10 ms on every Linux.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

type Loaded = Omit<Measured, 'cpuMicroseconds'>

async function wrk({ server, path, headers, bodies = [] }: Target, seconds: number): Promise<Loaded> {
  const script = join(tmpdir(), `petstore-bench-${process.pid}.lua`)
  writeFileSync(
    script,
    [
      `wrk.method = "${bodies.length === 0 ? 'GET' : 'POST'}"`,
      `local bodies, turn = {${bodies.map((body) => JSON.stringify(body)).join(', ')}}, 0`,
      'request = function() turn = turn % math.max(1, #bodies) + 1; return wrk.format(nil, nil, nil, bodies[turn]) end',
      ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
    ].join('\n'),
  )
  const words = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script]
  const said = await output(pinned(1, [...words, `http://127.0.0.1:${server.port}${path}`]))
  rmSync(script)
  const [, p99 = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(said) ?? []
  return {
    requests: Number(/(\d+) requests in/.exec(said)?.[1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
    rejected: Number(/Non-2xx or 3xx responses: (\d+)/.exec(said)?.[1] ?? 0),
  }
}

async function ownLoad({ server, path, headers, bodies = [] }: Target, seconds: number): Promise<Loaded> {
  const { port } = server
  const requestWith = (body: string | undefined): string => {
    const length = body !== undefined && { 'Content-Length': body.length }
    const fields = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...length })
    const head = [`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`, ...fields.map((field) => field.join(': '))]
    return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
  }
  const requests = bodies.length === 0 ? [requestWith(undefined)] : bodies.map(requestWith)
  const options = JSON.stringify({ port, connections, seconds, requests })
  return JSON.parse(await output(pinned(1, ['bun', join(import.meta.dir, 'own-load.ts'), options])))
}

export async function output(words: string[]): Promise<string> {
  const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'inherit' })
  const [said, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${said}`)
  return said
}
