import type { Deprecation } from './operation.ts'
import { pathTemplate } from './path-template.ts'

/** The time from which the operation returns 410: the last second of its sunset day. */
export const sunsetAt = ({ sunset }: Deprecation): number => Date.parse(`${sunset}T23:59:59Z`)

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export const deprecationHeaders = (deprecation: Deprecation): Record<string, string> => ({
  Deprecation: `@${Date.parse(`${deprecation.since}T00:00:00Z`) / 1000}`,
  Sunset: new Date(sunsetAt(deprecation)).toUTCString(),
})

/** Returns a function that builds the `Link` of a response from the path parameters of its request. */
export function deprecationLink({ successor }: Deprecation, baseUrl: string) {
  const policy = `${baseUrl}/docs/guides/deprecation`
  const links = `<${policy}>; rel="deprecation"; type="text/html", <${policy}>; rel="sunset"; type="text/html"`
  return pathTemplate(`${links}, <${baseUrl}${successor}>; rel="successor-version"`)
}
