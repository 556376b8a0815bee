import { linkTo } from './link.ts'
import type { Logger } from './logger.ts'
import type { Deprecated } from './options.ts'
import type { Settings } from './settings.ts'

const toDate = (time: number) => (Number.isNaN(time) ? undefined : new Date(time))

/** Without a logger, the warning goes to the console: the developer who reads it has to change the call. */
function warn({ operation, sunset, successor }: Deprecated, logger: Logger = console): void {
  const until = sunset ? ` and works until ${sunset.toISOString().slice(0, 10)}` : ''
  const instead = successor ? `; use ${successor} instead` : ''
  logger.warn(`Pet Store: ${operation} is deprecated${until}${instead}.`, { operation })
}

/** Reads the headers of every response and reports each deprecated operation once. */
export function warnOnce({
  logger,
  onDeprecated: report = (notice) => warn(notice, logger),
}: Pick<Settings, 'logger' | 'onDeprecated'>): (operation: string, headers: Headers) => void {
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
