/** What a statement's parameters and columns can be. */
export type Value = string | number | bigint | null
