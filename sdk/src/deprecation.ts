import { linkTo } from './link.ts'
import type { Deprecated } from './options.ts'

const toDate = (time: number) => (Number.isNaN(time) ? undefined : new Date(time))

function warnOnConsole({ operation, sunset, successor }: Deprecated): void {
  const until = sunset ? ` and answers until ${sunset.toISOString().slice(0, 10)}` : ''
  const instead = successor ? `; use ${successor} instead` : ''
  // biome-ignore lint/suspicious/noConsole: the developer who reads the console has to change the call
  console.warn(`Pet Store: ${operation} is deprecated${until}${instead}.`)
}

/** Reads the headers of every answer and reports each deprecated operation once. */
export function warnOnce(
  report: (notice: Deprecated) => void = warnOnConsole,
): (operation: string, headers: Headers) => void {
  const reported = new Set<string>()
  return (operation, headers) => {
    const deprecation = headers.get('Deprecation')
    if (deprecation === null || reported.has(operation)) return
    reported.add(operation)
    report({
      operation,
      since: toDate(Number(deprecation.replace('@', '')) * 1000),
      sunset: toDate(Date.parse(headers.get('Sunset') ?? '')),
      successor: linkTo(headers, 'successor-version'),
    })
  }
}
