import type { UsageEntry } from '@petstore/sdk'
import type { Series } from './parts/chart.tsx'

/** Counts as a chart shows them: refused on top of admitted, and errors as a part of these. */
export const usageSeries = (entries: readonly Pick<UsageEntry, 'allowed' | 'limited' | 'errors'>[]): Series[] => [
  { name: 'allowed', color: 'accent', values: entries.map(({ allowed }) => allowed) },
  {
    name: 'limited',
    color: 'amber',
    values: entries.map(({ limited }) => limited),
    drawn: entries.map(({ allowed, limited }) => allowed + limited),
  },
  { name: 'errors', color: 'red', values: entries.map(({ errors }) => errors) },
]
