import type { Snapshot } from '@petstore/sdk/testing'
import type { Command } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { serviceUrl } from '../shop/connect.ts'
import type { Terminal } from '../terminal.ts'
import { sendToSandbox } from './send-to-sandbox.ts'

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

async function callSandbox<T>(terminal: Terminal, url: string, method: 'GET' | 'POST', path: string): Promise<T> {
  const response = await sendToSandbox(terminal, url, method, path)
  if (response.ok) return (await response.json()) as T
  const { message = `${url} is not a sandbox.` } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Failure(stripControls(message), response.status === 404 ? exitCodes.notFound : exitCodes.failed)
}
