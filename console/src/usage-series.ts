import type { UsageEntry } from '@petstore/sdk'
import type { Series } from './parts/chart-scale.ts'

/** Usage as chart series: allowed and limited are all requests; errors and strikes are some of them. */
export const usageSeries = (entries: readonly Omit<UsageEntry, 'from'>[]): Series[] => [
  { name: 'allowed', color: 'accent', values: entries.map(({ allowed }) => allowed) },
  { name: 'limited', color: 'amber-fill', values: entries.map(({ limited }) => limited) },
  { name: 'errors', color: 'red', values: entries.map(({ errors }) => errors), isApart: true },
  { name: 'strikes', color: 'violet', values: entries.map(({ strikes }) => strikes), isApart: true },
]
