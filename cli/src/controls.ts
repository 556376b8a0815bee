import { stripVTControlCharacters } from 'node:util'

// Anyone can store a name. Control characters and marks of text direction must not reach a terminal.

const controls = /\p{Cc}|\p{Bidi_Control}/gu
const controlsInLines = /(?!\n)\p{Cc}|\p{Bidi_Control}/gu

/** Removes control characters from a single line. */
export const stripControls = (text: string): string => stripVTControlCharacters(text).replaceAll(controls, ' ')

/** Removes control characters except line breaks. */
export const stripControlsInLines = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(controlsInLines, ' ')

/** JSON with control characters escaped. Only line breaks between values stay: JSON.stringify escapes those in strings. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    controlsInLines,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
