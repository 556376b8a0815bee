import type { Log, LogLevel } from './log.ts'

const reportEveryMs = 1_000
/** More kinds of failures at the same time share a line. */
const kindsMax = 100

/** Limits failures that repeat with every request while something is down: the first of each kind is logged, then one line per second with a count. */
export function limitRepeats(log: Log): Log {
  /** Failures since the last line, by message and reason. */
  const unreported = new Map<string, number>()

  function report(level: Exclude<LogLevel, 'silent'>, message: string, kind: string, reason: string): void {
    const timer = setInterval(() => {
      const times = unreported.get(kind) ?? 0
      if (times > 0) log.write(level, message, { reason, times })
      if (times > 0) return void unreported.set(kind, 0)
      unreported.delete(kind)
      clearInterval(timer)
    }, reportEveryMs)
    timer.unref()
  }

  return {
    ...log,
    with: (fields) => limitRepeats(log.with(fields)),
    write(level, message, fields, at) {
      const given = reasonOf(fields)
      // A bug is found by the id of its request, so each one is logged.
      const isBug = level === 'error' && fields !== undefined && 'requestId' in fields
      if (given === undefined || isBug || !log.isEnabled(level)) return log.write(level, message, fields, at)
      const isKnown = unreported.has(`${message}: ${given}`)
      const reason = isKnown || unreported.size < kindsMax ? given : 'other reasons'
      const kind = `${message}: ${reason}`
      const times = unreported.get(kind)
      unreported.set(kind, (times ?? -1) + 1)
      if (times !== undefined) return
      log.write(level, message, fields, at)
      report(level, message, kind, reason)
    },
  }
}

/** Only failures have a reason. */
const reasonOf = (fields: { reason?: unknown } | undefined): string | undefined =>
  typeof fields?.reason === 'string' ? fields.reason : undefined
