export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

export interface Log {
  /** `at` is the time of the line; the current time by default. */
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields?: object, at?: number): void
  /** Whether lines of this level are written. Check this first if the fields of very many lines would have to be built. */
  isEnabled(level: LogLevel): boolean
  flush(): void
  /** The same log, with these fields first in every line. */
  with(fields: object): Log
}

const flushAfterMs = 100
const flushAtBytes = 64 * 1024

/** Writes lines, buffered: a write per request would cost more than the request. */
export function createLog(
  minLevel: LogLevel,
  write: (text: string) => void,
  now: () => number,
  format: LogFormat = 'json',
): Log {
  let pending = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const enabledLevels = new Set(logLevels.slice(logLevels.indexOf(minLevel)))
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending !== '') write(pending)
    pending = ''
  }
  function logWith(common: object): Log {
    const lineOf = format === 'json' ? createJsonLines(common) : createTextLines(common)
    return {
      isEnabled: (level) => enabledLevels.has(level),
      flush,
      write(level, message, fields, at = now()) {
        if (!enabledLevels.has(level)) return
        pending += lineOf(at, level, message, fields)
        if (pending.length > flushAtBytes || level === 'error') flush()
        else timer ??= setTimeout(flush, flushAfterMs)
      },
      with: (more) => logWith({ ...common, ...more }),
    }
  }
  return logWith({})
}

type LineOf = (at: number, level: LogLevel, message: string, fields?: object) => string

function createJsonLines(common: object): LineOf {
  const commonText = fieldsText(common)
  // Many lines within a millisecond start the same, and formatting the start costs more than the rest of the line.
  let last = { at: Number.NaN, level: '', message: '' }
  let lastStart = ''
  return (at, level, message, fields) => {
    if (at !== last.at || level !== last.level || message !== last.message) {
      last = { at, level, message }
      lastStart = `{"time":"${new Date(at).toISOString()}","level":"${level}","message":${JSON.stringify(message)}${commonText}`
    }
    return `${lastStart}${fields ? `,${JSON.stringify(fields).slice(1)}` : '}'}\n`
  }
}

const fieldsText = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')

/** One line for people to read: time of day, level, message, and the fields as name=value, without objects such as the settings. */
const createTextLines =
  (common: object): LineOf =>
  (at, level, message, fields = {}) => {
    const values = Object.entries({ ...common, ...fields })
      .filter(([, value]) => value !== undefined && (typeof value !== 'object' || Array.isArray(value)))
      .map(([name, value]) => ` ${name}=${isPlain(value) ? value : JSON.stringify(value)}`)
    return `${new Date(at).toTimeString().slice(0, 8)} ${level.padEnd(5)} ${message}${values.join('')}\n`
  }

/** Whether a value needs no quotes. Quotes keep spaces, line breaks and escape sequences from looking like something else. */
const isPlain = (value: unknown): boolean => /^[\w./:+-]+$/.test(String(value))

/** Log fields that describe an error and its cause. */
export const errorFields = (error: unknown): { reason: string } => ({
  reason: error instanceof Error && error.cause ? `${error}, because ${error.cause}` : String(error),
})

const reportEveryMs = 1_000
/** Kinds of failures beyond this many at a time share a line. */
const kindsMax = 100

/**
 * Limits failures that repeat with every request while something is down: the first of each kind is logged, then one line per second
 * with a count.
 */
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
      // Bugs are looked up by request id, so each one is logged.
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
