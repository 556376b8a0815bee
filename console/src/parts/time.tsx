import { useTick } from '../refresh.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Times further away are shown as a date. */
const relativeMs = 7 * dayMs

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const withSeconds: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeStyle: 'long' }
const date: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }
const dateAndTime: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }
const dateAndSeconds: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' }

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const

/** A time as people say it: `5 min. ago`, `in 2 days`, `Nov 3, 2026`. */
function formatRelative(at: string, now = Date.now()): string {
  const ms = Date.parse(at) - now
  const away = Math.abs(ms)
  if (away < minuteMs) return ms > 0 ? 'in a moment' : 'just now'
  if (away >= relativeMs) return new Date(at).toLocaleDateString(undefined, date)
  const [unit, unitMs] = units.find(([, size]) => away >= size) ?? units[2]
  return relative.format(Math.round(ms / unitMs), unit)
}

/** A time in the user's time zone, to the second. */
const formatExact = (at: string): string => new Date(at).toLocaleString(undefined, withSeconds)

interface Props {
  readonly at: string
  /** For sentences such as `until 3:20 PM`. */
  readonly isExact?: boolean
  /** For logs, where seconds matter. */
  readonly hasSeconds?: boolean
}

/** A relative time that keeps itself up to date, with the exact one as a tooltip. */
export function Time({ at, isExact = false, hasSeconds = false }: Props) {
  useTick(minuteMs / 2)
  const exact = new Date(at).toLocaleString(undefined, hasSeconds ? dateAndSeconds : dateAndTime)
  if (isExact || hasSeconds) {
    return (
      <time dateTime={at} title={formatExact(at)}>
        {exact}
      </time>
    )
  }
  return (
    <time dateTime={at} title={formatExact(at)} data-printed={exact}>
      <span>{formatRelative(at)}</span>
    </time>
  )
}

export const number = (value: number): string => value.toLocaleString()

export const formatTimeOfDay = (ms: number): string =>
  new Date(ms).toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' })

const dayAndMonth: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }

export const formatDay = (ms: number): string => new Date(ms).toLocaleDateString(undefined, dayAndMonth)

/** For what the service counts by UTC days. */
export const formatUtcDay = (ms: number): string =>
  new Date(ms).toLocaleDateString(undefined, { ...dayAndMonth, timeZone: 'UTC' })
