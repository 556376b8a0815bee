import { InvalidArgumentError } from 'commander'

// Parsers for the text of options. The service checks the values.

export function parseInteger(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

export function parseCount(text: string): number {
  const count = parseInteger(text)
  if (count < 1) throw new InvalidArgumentError('Must be a whole number, at least 1.')
  return count
}

export const parseList = (text: string): string[] => text.split(',').map((part) => part.trim())

export function parseIntegers(text: string): number[] {
  return parseList(text).map(parseInteger)
}

export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Must be true or false.')
  return text === 'true'
}

/** Clears a field. The parser treats null as an option without a value. */
export const none = Symbol('none')

export const parseOrNone = (text: string): string | symbol => (text === 'none' ? none : text)
