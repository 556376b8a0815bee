export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Log {
  /** `at` is the time of the line; the current time by default. */
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields?: object, at?: number): void
  isEnabled(level: LogLevel): boolean
  flush(): void
}

const flushAfterMs = 100
const flushAtBytes = 64 * 1024

/** Writes JSON lines, buffered: a write per request would cost more than the request. */
export function createLog(minLevel: LogLevel, write: (text: string) => void, now: () => number): Log {
  let pending = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const enabledLevels = new Set(logLevels.slice(logLevels.indexOf(minLevel)))
  const isEnabled = (level: LogLevel) => enabledLevels.has(level)
  // Many lines within a millisecond start the same, and formatting the start costs more than the rest of the line.
  let last = { at: Number.NaN, level: '', message: '' }
  let lastStart = ''
  function startOfLine(at: number, level: LogLevel, message: string): string {
    if (at !== last.at || level !== last.level || message !== last.message) {
      last = { at, level, message }
      lastStart = `{"time":"${new Date(at).toISOString()}","level":"${level}","message":${JSON.stringify(message)}`
    }
    return lastStart
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending !== '') write(pending)
    pending = ''
  }
  return {
    isEnabled,
    flush,
    write(level, message, fields, at = now()) {
      if (!isEnabled(level)) return
      const rest = fields ? `,${JSON.stringify(fields).slice(1)}` : '}'
      pending += `${startOfLine(at, level, message)}${rest}\n`
      if (pending.length > flushAtBytes || level === 'error') flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
  }
}

/** Log fields that describe an error and its cause. */
export const errorFields = (error: unknown): { reason: string } => ({
  reason: error instanceof Error && error.cause ? `${error}, because ${error.cause}` : String(error),
})
