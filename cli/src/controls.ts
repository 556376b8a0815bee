import { stripVTControlCharacters } from 'node:util'

// Names come from anybody. What steers a terminal, or turns the direction of its text, reaches it from here in no form.

const steering = /\p{Cc}|\p{Bidi_Control}/gu
const steeringInLines = /(?!\n)\p{Cc}|\p{Bidi_Control}/gu

/** For one line. */
export const cleaned = (text: string): string => stripVTControlCharacters(text).replaceAll(steering, ' ')

/** For text that may have several lines. */
export const cleanedLines = (text: string): string => stripVTControlCharacters(text).replaceAll(steeringInLines, ' ')

/** JSON that means the same: outside of strings it has no control but line breaks, and inside JSON.stringify leaves no line break. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    steeringInLines,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
