/** What a statement's parameters and columns can be. */
export type Value = string | number | bigint | null

/** A boolean as both engines store it. */
export type Bit = 0 | 1
