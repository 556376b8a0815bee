import { linkTo } from './link.ts'
import type { Deprecated } from './options.ts'

const dateOf = (time: number) => (Number.isNaN(time) ? undefined : new Date(time))

function onConsole({ operation, sunset, successor }: Deprecated): void {
  const until = sunset ? ` and answers until ${sunset.toISOString().slice(0, 10)}` : ''
  const instead = successor ? `; use ${successor} instead` : ''
  // biome-ignore lint/suspicious/noConsole: whoever reads the console is who has to change the call
  console.warn(`Pet Store: ${operation} is deprecated${until}${instead}.`)
}

/** Looks at the headers of every answer and tells of each deprecated operation once. */
export function warnOnce(
  tell: (notice: Deprecated) => void = onConsole,
): (operation: string, headers: Headers) => void {
  const told = new Set<string>()
  return (operation, headers) => {
    const deprecation = headers.get('Deprecation')
    if (deprecation === null || told.has(operation)) return
    told.add(operation)
    tell({
      operation,
      since: dateOf(Number(deprecation.replace('@', '')) * 1000),
      sunset: dateOf(Date.parse(headers.get('Sunset') ?? '')),
      successor: linkTo(headers, 'successor-version'),
    })
  }
}
