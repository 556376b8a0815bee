/** The type of statement parameters and columns. */
export type Value = string | number | bigint | null
