import type { UsageEntry } from '@petstore/sdk'
import type { Series } from './parts/chart-options.ts'

/** Usage as chart series: limited stacked on allowed, errors as a part of both, and strikes as a part of limited. */
export const usageSeries = (entries: readonly Omit<UsageEntry, 'from'>[]): Series[] => [
  { name: 'allowed', color: 'accent', values: entries.map(({ allowed }) => allowed) },
  {
    name: 'limited',
    color: 'amber-fill',
    values: entries.map(({ limited }) => limited),
    heights: entries.map(({ allowed, limited }) => allowed + limited),
  },
  { name: 'errors', color: 'red', values: entries.map(({ errors }) => errors) },
  { name: 'strikes', color: 'violet', values: entries.map(({ strikes }) => strikes) },
]
