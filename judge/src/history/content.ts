import type { Exchange } from './exchange.ts'

/** A time with its zone, as programs write it. */
export const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g
const hourMs = 3_600_000
/** How long before its arrival a body may have been written. Times may be cut to seconds. */
const writtenMs = 5_000
/** How far apart two clocks of one machine may be. */
const clocksMs = 50

/**
 * What bodies say, apart from when they were written: a client that writes a new body for each try puts in the time of the try, or the
 * same time tomorrow. The first exchange with a body shows which of its times are a whole number of hours from then.
 */
export function contentsOf(exchanges: readonly Exchange[]): (exchange: Exchange) => string {
  const contents = new Map<string, string>()
  for (const exchange of exchanges) {
    const { body = '' } = exchange
    if (!contents.has(body))
      contents.set(
        body,
        body.replace(timePattern, (text) => fromNow(text, exchange)),
      )
  }
  return ({ body = '' }) => contents.get(body) ?? body
}

function fromNow(text: string, { arrivedMs, apiArrivedMs }: Exchange): string {
  const at = Date.parse(text)
  for (const nowMs of [arrivedMs, apiArrivedMs]) {
    const hours = Math.ceil((at - nowMs - clocksMs) / hourMs)
    if (at - nowMs >= hours * hourMs - writtenMs) return `now + ${hours} h`
  }
  return text
}
