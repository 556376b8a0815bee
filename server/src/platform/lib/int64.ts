/** An identifier. Ids assigned by this service are numbers; a bigint is an int64 that a caller sent and no row can have. */
export type Id = number | bigint

const max = 2n ** 63n - 1n
const min = -(2n ** 63n)

/** Parses an int64 in plain decimal digits; undefined if `text` is not one. */
export function parseInt64(text: string): Id | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined
  const small = Number(text)
  if (Number.isSafeInteger(small)) return small
  const exact = BigInt(text)
  return exact >= min && exact <= max ? exact : undefined
}
