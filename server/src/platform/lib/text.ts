/** Why `text` cannot be stored, or undefined if it can. Lengths count characters, not UTF-16 units. */
export function textFault(text: string, bounds: { min: number; max: number }): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL'
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  const length = text.length > bounds.max ? [...text].length : text.length
  if (length > bounds.max) return `must be at most ${bounds.max} characters, is ${length}`
  if (bounds.min > 0 && text.trim() === '') return 'must not be blank'
  return undefined
}

/**
 * The form used to compare names case-insensitively. Computed here so both engines agree. Upper case first, so that ß equals SS;
 * one form of small sigma, because sigma's form depends on the next character.
 */
export const foldCase = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

/** Adds thousands separators: 10,000. */
export const formatNumber = (number: number): string => number.toLocaleString('en')
