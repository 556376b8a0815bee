export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Log {
  /** `at` is the time of the line, where it is known already. */
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields?: object, at?: number): void
  enabled(level: LogLevel): boolean
  flush(): void
}

const flushAfterMs = 100
const flushAtBytes = 64 * 1024

/** JSON lines. Lines are gathered and written together: a write per request would cost more than the request. */
export function createLog(least: LogLevel, write: (text: string) => void, now: () => number): Log {
  let pending = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = new Set(logLevels.slice(logLevels.indexOf(least)))
  const enabled = (level: LogLevel) => heard.has(level)
  // Many lines begin alike within a millisecond, and spelling that out costs more than the rest of the line.
  let last = { at: Number.NaN, level: '', message: '' }
  let lastBeginning = ''
  function beginningOf(at: number, level: LogLevel, message: string): string {
    if (at !== last.at || level !== last.level || message !== last.message) {
      last = { at, level, message }
      lastBeginning = `{"time":"${new Date(at).toISOString()}","level":"${level}","message":${JSON.stringify(message)}`
    }
    return lastBeginning
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending !== '') write(pending)
    pending = ''
  }
  return {
    enabled,
    flush,
    write(level, message, fields, at = now()) {
      if (!enabled(level)) return
      const rest = fields ? `,${JSON.stringify(fields).slice(1)}` : '}'
      pending += `${beginningOf(at, level, message)}${rest}\n`
      if (pending.length > flushAtBytes || level === 'error') flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
  }
}

/** What is known of a failure, its cause included. */
export const because = (error: unknown): { reason: string } => ({
  reason: error instanceof Error && error.cause ? `${error}, because ${error.cause}` : String(error),
})
