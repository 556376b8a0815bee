/** An identifier. Ids this service assigns are numbers; a bigint is a caller's int64 that no row can have. */
export type Id = number | bigint

const max = 2n ** 63n - 1n
const min = -(2n ** 63n)

/** The int64 that `text` spells in plain decimal digits, or undefined. */
export function parseInt64(text: string): Id | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined
  const small = Number(text)
  if (Number.isSafeInteger(small)) return small
  const exact = BigInt(text)
  return exact >= min && exact <= max ? exact : undefined
}
