import { type Command, Option as CommandOption } from 'commander'
import type { Operation } from '../calls.ts'
import { none } from './options.ts'

/**
 * The flags of an option, its description, how to parse its text, and the field of the operation that it sets: the one of the
 * same name unless given, `limits.perDay` for a nested field.
 */
export type FieldOption = readonly [
  flags: string,
  description: string,
  parse?: ((text: string) => unknown) | undefined,
  field?: string,
]

const nameOf = ([flags]: FieldOption): string => new CommandOption(flags).attributeName()
const fieldOf = (option: FieldOption): string => option[3] ?? nameOf(option)
const longFlag = ([flags]: FieldOption): string => flags.split(' ')[0] ?? flags

/** Adds options to a command. The description of the operation says which are required, and which values they have. */
export function addOptions(
  command: Command,
  { inputs }: Pick<Operation, 'inputs'>,
  options: readonly FieldOption[],
  requiredNote = 'required',
) {
  for (const each of options) {
    const [flags, description, parse] = each
    const { required = false, values } = inputs[fieldOf(each)] ?? {}
    const isAlone = options.filter((other) => fieldOf(other) === fieldOf(each)).length === 1
    const option = new CommandOption(flags, required && isAlone ? `${description} (${requiredNote})` : description)
    // Offered, not enforced: a newer service may know more values.
    if (values) option.argChoices = [...values]
    if (parse) option.argParser(parse)
    command.addOption(option)
  }
}

/** The fields that the given options set. A missing required one, or two for one field, end the command. */
export function readFields(
  command: Command,
  { inputs }: Pick<Operation, 'inputs'>,
  options: readonly FieldOption[],
): Record<string, unknown> {
  const values = command.opts()
  const given = options.filter((option) => values[nameOf(option)] !== undefined)
  const missing: string[] = []
  for (const [name, { required }] of Object.entries(inputs)) {
    const flagsOf = (all: readonly FieldOption[]) => all.filter((option) => fieldOf(option) === name).map(longFlag)
    const [wanted, chosen] = [flagsOf(options), flagsOf(given)]
    if (chosen.length > 1) command.error(`error: only one of ${chosen.join(', ')} can be given`)
    if (required && wanted.length > 0 && chosen.length === 0) missing.push(wanted.join(' or '))
  }
  if (missing.length > 0) command.error(`error: Missing ${missing.join(', ')}`)
  const fields: Record<string, unknown> = {}
  for (const option of given) {
    const value = values[nameOf(option)]
    setField(fields, fieldOf(option), value === none ? null : value)
  }
  return fields
}

function setField(fields: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', inner] = path.split('.')
  if (inner === undefined) fields[name] = value
  else fields[name] = { ...(fields[name] as object | undefined), [inner]: value }
}
