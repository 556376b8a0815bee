/** The start of a day in the user's time zone. */
export const startOfDay = (day: string): string => new Date(`${day}T00:00`).toISOString()
