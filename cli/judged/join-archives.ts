import type { Scenario } from './client.ts'
import type { Run } from './judge-client.ts'

/** The first run of each scenario, as a page of one HTTP archive. One line for each request, so that two of them can be compared. */
export function joinArchives(runs: ReadonlyMap<Scenario, Run>): string {
  const [first] = runs.values()
  const all = [...runs].map(([scenario, { archive }]) => ({ scenario, entries: archive.log.entries }))
  const pages = all.map(({ scenario, entries: [entry] }) => ({
    id: scenario,
    title: scenario,
    startedDateTime: entry?.startedDateTime ?? new Date(0).toISOString(),
    pageTimings: {},
  }))
  const lines = all.flatMap(({ scenario, entries }) =>
    entries.map((entry) => JSON.stringify({ pageref: scenario, ...entry })),
  )
  return JSON.stringify({ log: { version: '1.2', creator: first?.archive.log.creator, pages, entries: [] } })
    .replace('"entries":[]', () => `"entries":[\n${lines.join(',\n')}\n]`)
    .concat('\n')
}
