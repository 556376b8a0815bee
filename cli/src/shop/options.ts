import { InvalidArgumentError } from 'commander'

// What is typed is text; these make of it what the interface takes. Whether the value is a good one the service says.

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export const several = (text: string): string[] => text.split(',').map((part) => part.trim())

export function severalNumbers(text: string): number[] {
  return several(text).map(wholeNumber)
}

export function yesOrNo(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.')
  return text === 'true'
}
