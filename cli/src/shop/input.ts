import type { Command } from 'commander'
import type { Operation } from '../calls.ts'
import { type FieldOption, readFields } from './fields.ts'

/** What the user gave. The service checks the fields, not the compiler. */
export interface Input {
  readonly ids: readonly number[]
  /** The first id. */
  readonly id: number
  readonly fields: never
  readonly ifMatch: string | undefined
}

export function readInput(command: Command, operation: Operation, options: readonly FieldOption[]): Input {
  const ids = (command.processedArgs as (number | number[])[]).flat()
  const fields = readFields(command, operation, options) as never
  return { ids, id: ids[0] ?? 0, fields, ifMatch: command.opts<{ ifMatch?: string }>().ifMatch }
}
