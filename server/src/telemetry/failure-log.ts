import type { Log } from './log.ts'

const reportEveryMs = 1_000
const reasonsMax = 100

/** Logs failures that repeat with every request while something is down: the first of each kind, then one line per second with a count. */
export function createFailureLog(log: Log) {
  /** Failures since the last line, by reason. */
  const unreported = new Map<string, number>()

  return (message: string, kind: string, fields: object): void => {
    const reason = unreported.size < reasonsMax || unreported.has(kind) ? kind : 'other reasons'
    const times = unreported.get(reason)
    unreported.set(reason, (times ?? -1) + 1)
    if (times !== undefined) return
    log.write('warn', message, { reason, ...fields })
    const timer = setInterval(() => {
      const more = unreported.get(reason) ?? 0
      if (more > 0) log.write('warn', message, { reason, times: more })
      if (more > 0) return void unreported.set(reason, 0)
      unreported.delete(reason)
      clearInterval(timer)
    }, reportEveryMs)
    timer.unref()
  }
}
