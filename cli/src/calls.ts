import type { Command } from 'commander'
import operations from './operations.json' with { type: 'json' }

/** The name of an operation in the service's description. */
export type OperationId = keyof typeof operations

export interface Operation {
  readonly method: string
  readonly path: string
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly values?: readonly string[] }>>
  /** Whether its response has an ETag, for --if-match. */
  readonly hasEtag: boolean
  readonly takesIfMatch: boolean
}

export const operationOf = (id: OperationId): Operation => operations[id]
export const operationIds = Object.keys(operations) as OperationId[]

const callsByCommand = new WeakMap<Command, readonly OperationId[]>()

/** Says which operations a command calls; CALLS.md is made from this. */
export function declareCalls(command: Command, ...ids: readonly OperationId[]): Command {
  callsByCommand.set(command, ids)
  return command
}

export const callsOf = (command: Command): readonly OperationId[] => callsByCommand.get(command) ?? []

const withoutCommand: Partial<Record<OperationId, string>> = {
  listPets: '`pets list` shows profiles, which have more',
  getPet: 'deprecated; `pets get` shows the profile',
}

/** Why an operation has no command. `petstore api` calls these too. */
export function whyWithoutCommand(id: OperationId): string | undefined {
  const { method, path } = operationOf(id)
  const canBeChanged = operationIds.map(operationOf).some((other) => other.method === 'PATCH' && other.path === path)
  return (
    withoutCommand[id] ??
    (method === 'PUT' && canBeChanged ? 'the command that updates it can change every field' : undefined)
  )
}
