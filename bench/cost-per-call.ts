// Measures what a call costs in nanoseconds, and the CPU time of a whole request to compare it with.
import { runService } from '../server/test/harness/run/run-service.ts'

export const say = (what: string, ns: number) =>
  process.stdout.write(`${what.padEnd(56)}${Math.round(ns).toLocaleString('en').padStart(10)} ns\n`)

export const roundCalls = 10_000

/** The median of many short rounds, in nanoseconds per call. */
export async function nsPerCall(calls: number, call: (index: number) => unknown): Promise<number> {
  const rounds: number[] = []
  for (let done = 0; done < calls; done += roundCalls) {
    const started = Bun.nanoseconds()
    for (let index = done; index < done + roundCalls; index++) {
      const result = call(index)
      if (result instanceof Promise) await result
    }
    rounds.push((Bun.nanoseconds() - started) / roundCalls)
    // An event-loop tick, as between requests: a key is cached only while the cache is maintained.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return rounds.sort((a, b) => a - b)[rounds.length >> 1] ?? Number.NaN
}

/** CPU time of a server process that answers this many requests over 64 connections, from start to stop, in ns. */
export async function serverCpuNs(requests: number, env: Record<string, string>, secret: string): Promise<number> {
  const server = runService({ env })
  await server.ready
  const get = (path: string) => fetch(server.url + path, { headers: { 'X-API-Key': secret } })
  let left = requests
  const connection = async () => {
    while (left-- > 0) {
      const answer = await get('/pets?limit=20')
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: 64 }, connection))
  await server.kill('SIGTERM')
  return server.processorSeconds() * 1e9
}
