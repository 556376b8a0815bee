// Between times of the API, which are UTC, and the user's local time, which fields and addresses have.

/** A time as a field of type datetime-local needs it: local, to the minute. */
export function toLocalTime(time: string): string {
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The same time for the API; undefined if it is no time. An address may have any text. */
export const fromLocalTime = (local: string): string | undefined => toIso(new Date(local))

export const startOfDay = (day: string): string | undefined => fromLocalTime(`${day}T00:00`)

/** The end of a day is the start of the next. */
export function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T00:00`)
  end.setDate(end.getDate() + 1)
  return toIso(end)
}

const toIso = (at: Date): string | undefined => (Number.isNaN(at.getTime()) ? undefined : at.toISOString())
