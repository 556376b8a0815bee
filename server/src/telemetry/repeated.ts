import type { Log } from './log.ts'

const toldEveryMs = 1_000
const kindsMax = 100

/**
 * Failures that come with every request while something is down: a line for the first of a kind, and then one a second that says how
 * many more there were.
 */
export function createRepeated(log: Log) {
  const untold = new Map<string, number>()

  return (message: string, kind: string, fields: object): void => {
    const reason = untold.size < kindsMax || untold.has(kind) ? kind : 'other reasons'
    const times = untold.get(reason)
    untold.set(reason, (times ?? -1) + 1)
    if (times !== undefined) return
    log.write('warn', message, { reason, ...fields })
    const timer = setInterval(() => {
      const more = untold.get(reason) ?? 0
      if (more > 0) log.write('warn', message, { reason, times: more })
      if (more > 0) return void untold.set(reason, 0)
      untold.delete(reason)
      clearInterval(timer)
    }, toldEveryMs)
    timer.unref()
  }
}
