import type { Field } from '../description.ts'

/** A value as typed; values.ts converts it. */
export type Value = string | boolean | number | readonly string[] | Record<string, string> | undefined

export interface FieldProps {
  readonly field: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly fault?: string | undefined
  readonly autoFocus?: boolean
}

/** What every input control gets. */
export interface Control extends Omit<FieldProps, 'fault'> {
  readonly id: string
  readonly describedBy: string | undefined
  readonly invalid: boolean
}
