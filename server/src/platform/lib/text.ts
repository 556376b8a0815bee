/** Why `text` cannot be stored as one line, or undefined if it can. */
export function lineFault(text: string, max: number): string | undefined {
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  return sizeFault(text, max) ?? (isVisible.test(text) ? undefined : 'must have a visible character')
}

/** Why `text` cannot be stored as any number of lines, or undefined if it can. */
export function linesFault(text: string, max: number): string | undefined {
  if (/[^\P{Cc}\t\n]/u.test(text)) return 'must not contain control characters other than tab and line feed'
  return sizeFault(text, max)
}

/** Lengths count characters, not UTF-16 units. */
function sizeFault(text: string, max: number): string | undefined {
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  const length = text.length > max ? [...text].length : text.length
  return length > max ? `must be at most ${max} characters, is ${length}` : undefined
}

/** Finds a visible character: not a space, zero-width character, direction mark or filler. */
const isVisible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u

/**
 * The form used to compare names case-insensitively. Computed here so both engines agree. Upper case first, so that ß equals SS;
 * one form of small sigma, because sigma's form depends on the next character.
 */
export const foldCase = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

/** Adds thousands separators: 10,000. */
export const formatNumber = (number: number): string => number.toLocaleString('en')
