import type { UsageEntry } from '@petstore/sdk'
import type { Series } from './parts/chart-options.ts'

/** Usage as chart series: limited stacked on allowed, and errors as a part of both. */
export const usageSeries = (entries: readonly Pick<UsageEntry, 'allowed' | 'limited' | 'errors'>[]): Series[] => [
  { name: 'allowed', color: 'accent', values: entries.map(({ allowed }) => allowed) },
  {
    name: 'limited',
    color: 'amber-fill',
    values: entries.map(({ limited }) => limited),
    heights: entries.map(({ allowed, limited }) => allowed + limited),
  },
  { name: 'errors', color: 'red', values: entries.map(({ errors }) => errors) },
]
