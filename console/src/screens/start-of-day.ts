/** The start of a day in the user's time zone. */
export const startOfDay = (day: string): string => new Date(`${day}T00:00`).toISOString()

/** The end of a day in the user's time zone, which is the start of the next. */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T00:00`)
  end.setDate(end.getDate() + 1)
  return end.toISOString()
}
