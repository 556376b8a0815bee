export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Log {
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields?: object): void
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
  // Many lines share a millisecond, and spelling it out costs more than the rest of the line.
  let lastMs = Number.NaN
  let lastIso = ''
  function isoTime(ms: number): string {
    if (ms !== lastMs) {
      lastMs = ms
      lastIso = new Date(ms).toISOString()
    }
    return lastIso
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
    write(level, message, fields) {
      if (!enabled(level)) return
      const rest = fields ? `,${JSON.stringify(fields).slice(1)}` : '}'
      pending += `{"time":"${isoTime(now())}","level":"${level}","message":${JSON.stringify(message)}${rest}\n`
      if (pending.length > flushAtBytes || level === 'error') flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
  }
}

/** What is known of a failure, its cause included. */
export const because = (error: unknown): { reason: string } => ({
  reason: error instanceof Error && error.cause ? `${error}, because ${error.cause}` : String(error),
})
