/** The type of statement parameters and columns. */
export type Value = string | number | bigint | null

/** A boolean as both engines store it. */
export type Bit = 0 | 1
