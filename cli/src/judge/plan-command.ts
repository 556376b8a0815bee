import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../terminal.ts'
import { readKnowledge } from './knowledge.ts'
import { parseUpstream } from './upstream.ts'

/** Those of judge itself. */
interface Options {
  readonly upstream?: string
  readonly profile?: string
  readonly openapi?: string
  readonly seed?: string
  readonly only?: string[]
  readonly json?: boolean
}

/** Shows what will be done to which call, before anything runs. */
export function addPlan(group: Command, terminal: Terminal): void {
  const command = group
    .command('plan')
    .description('Show the faults for the first, second, third call of each operation, in their order.')
    .argument(
      '[operation...]',
      'operations, such as "POST /orders"; by default those of the profile and the description',
    )
    .action(async (operations: readonly string[]) => {
      const { upstream, seed, only, json, ...sources } = command.optsWithGlobals<Options>()
      if (seed === undefined) return command.error('error: --seed is missing')
      const { canLose, checkFaults, describeFaults, faultsOf } = await import('./plan.ts')
      const { operationsOf } = await import('./name-requests.ts')
      // Only its description is read, so it may be anywhere.
      const served = upstream === undefined ? undefined : parseUpstream(upstream, true)
      const { profile, description } = await readKnowledge(sources, served)
      const described = operationsOf(description)
      const named = profile.operations
        .filter(({ name }) => !name.includes('$'))
        .map(({ name, method }) => ({ name, method }))
      const given = operations.map((name) => ({ name, method: undefined }))
      const all = given.length > 0 ? given : [...named, ...described]
      // Several patterns may have one name.
      const wanted = [...new Map(all.map((each) => [each.name, each])).values()]
      if (wanted.length === 0)
        throw new Failure(
          'No operations are known: name some, or give --openapi, or --upstream if it serves the description.',
          exitCodes.misused,
        )
      const methodOf = (operation: string) =>
        described.find(({ name }) => name === operation)?.method ?? /^([A-Z]+) \//.exec(operation)?.[1]
      const rows = wanted.map(({ name: operation, method = methodOf(operation) }) => {
        const call = { operation, canLose: canLose(operation, method, profile) }
        return { operation, faults: faultsOf(call, profile, { seed, only: checkFaults(only) }) }
      })
      await terminal.write(
        json
          ? `${toJson(rows, 2)}\n`
          : rows.map(({ operation, faults }) => `${operation}\n  ${describeFaults(faults)}\n`).join(''),
      )
    })
  withExamples(command, ['petstore judge plan --profile api.yaml --seed ci', 'what judge --seed ci will do'])
}
