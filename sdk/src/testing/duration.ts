const unitSeconds: Readonly<Record<string, number>> = {
  ...{ s: 1, sec: 1, second: 1, seconds: 1 },
  ...{ m: 60, min: 60, minute: 60, minutes: 60 },
  ...{ h: 3_600, hour: 3_600, hours: 3_600 },
  ...{ d: 86_400, day: 86_400, days: 86_400 },
  ...{ w: 604_800, week: 604_800, weeks: 604_800 },
}

/** The seconds of a duration such as `1 day` or `2 hours 30 minutes`. */
export function parseSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gi)]
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text.trimStart()
  const seconds = parts.map(([, count, unit = '']) => Number(count) * (unitSeconds[unit.toLowerCase()] ?? Number.NaN))
  const total = seconds.reduce((sum, each) => sum + each, 0)
  if (isWhole && !Number.isNaN(total)) return total
  throw new TypeError(`"${text}" is not a duration, such as "90 seconds", "1 day" or "2 hours 30 minutes".`)
}
