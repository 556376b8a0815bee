// Between times of the API, which are UTC, and the user's local time, which fields and addresses have.

/** A time as a field of type datetime-local needs it: local, to the minute. */
export function toLocalTime(time: string): string {
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const fromLocalTime = (local: string): string => new Date(local).toISOString()

export const startOfDay = (day: string): string => fromLocalTime(`${day}T00:00`)

/** The end of a day is the start of the next. */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T00:00`)
  end.setDate(end.getDate() + 1)
  return end.toISOString()
}
