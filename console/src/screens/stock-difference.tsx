import { number } from '../parts/time.tsx'

/** A count as typed, and the stock on record when it was typed. */
export interface Counted {
  readonly petId: number
  readonly name: string
  readonly typed: string
  readonly recorded: number
  /** What was sent for it, and the text that it was worked out from, if it is not known whether that was saved. */
  readonly sent?: { readonly quantity: number; readonly typed: string }
}

export const differenceOf = ({ typed, recorded }: Counted): number => Number(typed) - recorded

export const Difference = ({ value }: { value: number }) =>
  value === 0 ? <span class="soft">none</span> : <strong>{`${value > 0 ? '+' : '−'}${number(Math.abs(value))}`}</strong>
