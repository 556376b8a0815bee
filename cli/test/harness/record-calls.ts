import { commandsByName } from '../../generate/calls.ts'
import { type OperationId, operationIds, operationOf } from '../../src/calls.ts'

const commandNames = [...commandsByName().keys()].toSorted((one, other) => other.length - one.length)
const patterns = operationIds.map((id) => {
  const { method, path } = operationOf(id)
  // A literal path comes before one with a parameter in its place: /pets/counts is not /pets/{petId}.
  return { id, method, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '\\d+')}$`) }
})

/** Records which operations each command calls, by watching the requests of this process. */
export function recordCalls() {
  const calls = new Map<string, Set<OperationId>>()
  const running: string[] = []
  const { fetch } = globalThis
  globalThis.fetch = Object.assign(async (...[input, init]: Parameters<typeof fetch>) => {
    const { pathname } = new URL(String(input))
    const called = patterns.find(({ method, path }) => method === init?.method && path.test(pathname))
    for (const name of running) if (called) calls.get(name)?.add(called.id)
    return fetch(input, init)
  }, fetch)
  return {
    calls,
    /** Runs a command, and attributes requests to it meanwhile. */
    async during<T>(words: readonly string[], run: () => Promise<T>): Promise<T> {
      const line = words.join(' ')
      const name = commandNames.find((each) => line === each || line.startsWith(`${each} `)) ?? ''
      calls.set(name, calls.get(name) ?? new Set())
      running.push(name)
      try {
        return await run()
      } finally {
        running.splice(running.indexOf(name), 1)
      }
    },
    stop() {
      globalThis.fetch = fetch
    },
  }
}
