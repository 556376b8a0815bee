import type { Page } from '@petstore/sdk'
import type { ReadonlySignal } from '@preact/signals'
import { type Loaded, useLoad } from './load.ts'
import { param } from './router.ts'

const pageSize = 50

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** Loads the page of a list that the address names: `names` are the parameters of the list that the address may have. */
export function usePage<T>(
  names: readonly string[],
  load: (query: PageQuery, options: { signal: AbortSignal }) => Promise<Page<T>>,
): ReadonlySignal<Loaded<Page<T>>> {
  const given = Object.fromEntries([...names, 'cursor'].flatMap((name) => (param(name) ? [[name, param(name)]] : [])))
  return useLoad(JSON.stringify(given), (signal) => load({ ...given, limit: pageSize }, { signal }))
}
