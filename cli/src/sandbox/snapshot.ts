import type { Snapshot } from '@petstore/sdk/testing'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { serviceUrl } from '../shop/connect.ts'
import type { Terminal } from '../terminal.ts'
import { callSandbox } from './call-sandbox.ts'

export function addSnapshots(group: Command, terminal: Terminal): void {
  const snapshot = group
    .command('snapshot')
    .description('Save a snapshot of the sandbox that PETSTORE_URL or --url names, and print its id.')
    .option('--list', 'list the snapshots instead')
    .action(async ({ list }: { list?: boolean }) => {
      const url = serviceUrl(terminal, snapshot)
      const made: readonly Snapshot[] = list
        ? (await callSandbox<{ data: readonly Snapshot[] }>(terminal, url, 'GET', 'snapshots')).data
        : [await callSandbox<Snapshot>(terminal, url, 'POST', 'snapshots')]
      const { json } = snapshot.optsWithGlobals()
      const lines = made.map(({ id, at }) => (list ? `${id}  ${at}\n` : `${id}\n`))
      await terminal.write(json ? `${toJson(list ? made : made[0], 2)}\n` : lines.join(''))
    })
  withExamples(
    snapshot,
    ['petstore sandbox snapshot', 'before a test run'],
    ['petstore sandbox snapshot --list', 'the ids, with the time in the shop'],
  )
  const restore = group
    .command('restore')
    .description('Return the sandbox that PETSTORE_URL or --url names to a snapshot.')
    .argument('<id>', 'the id of the snapshot')
    .action(async (id: string) => {
      await callSandbox(terminal, serviceUrl(terminal, restore), 'POST', `snapshots/${encodeURIComponent(id)}/restore`)
    })
  withExamples(restore, ['petstore sandbox restore 1', 'data, keys, clock, faults and recorded requests'])
}
