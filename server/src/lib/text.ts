/** Why `text` cannot be kept, or undefined when it can. Lengths count characters, not UTF-16 units. */
export function textFault(text: string, bounds: { min: number; max: number }): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL'
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  const length = text.length > bounds.max ? [...text].length : text.length
  if (length > bounds.max) return `must be at most ${bounds.max} characters, is ${length}`
  if (bounds.min > 0 && text.trim() === '') return 'must not be blank'
  return undefined
}

/**
 * The form in which names are compared when case does not matter; the same on both engines because it is made here.
 * By way of capitals, so that ß meets SS; and with one small sigma, because its form depends on what follows it.
 */
export const foldCase = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

/** A number as people read it: 10,000. */
export const grouped = (number: number): string => number.toLocaleString('en')
