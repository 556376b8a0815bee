import type { Deprecation } from './operation.ts'

/** The moment from which the operation answers 410: the last second of its sunset day. */
const sunsetAt = ({ sunset }: Deprecation): number => Date.parse(`${sunset}T23:59:59Z`)

export const isSunset = (deprecation: Deprecation, now: number): boolean => now >= sunsetAt(deprecation)

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export const deprecationHeaders = (deprecation: Deprecation): Record<string, string> => ({
  Deprecation: `@${Date.parse(`${deprecation.since}T00:00:00Z`) / 1000}`,
  Sunset: new Date(sunsetAt(deprecation)).toUTCString(),
})

export function deprecationLinks(deprecation: Deprecation, baseUrl: string, params: Readonly<Record<string, string>>) {
  const policy = `${baseUrl}/docs/guides/deprecation`
  const successor = deprecation.successor.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return [
    `<${policy}>; rel="deprecation"; type="text/html"`,
    `<${policy}>; rel="sunset"; type="text/html"`,
    `<${baseUrl}${successor}>; rel="successor-version"`,
  ]
}
