/** How traces are sent, from OpenTelemetry's standard environment variables. */
export interface TraceSettings {
  readonly endpoint: string
  /** May contain credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Says where spans come from, such as `deployment.environment`. */
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: Sampler
  /** The share of traces that a sampler with a ratio keeps. */
  readonly ratio: number
}

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type Sampler = (typeof samplers)[number]

/** Parses `name=value,name=value`, where values are percent-encoded. */
export function parsePairs(text: string): Readonly<Record<string, string>> | Error {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  try {
    return Object.fromEntries(parts.map(parsePair))
  } catch {
    return new Error('pairs separated by commas, such as name=value,other=a%20value')
  }
}

function parsePair(text: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^\s*([!-+\--<>-~]+)\s*=\s*(.*?)\s*$/.exec(text) ?? []
  if (name === '') throw new Error(text)
  return [name, decodeURIComponent(value)]
}

export function parseRatio(text: string): number | Error {
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  return ratio >= 0 && ratio <= 1 ? ratio : new Error('a number from 0 to 1')
}
