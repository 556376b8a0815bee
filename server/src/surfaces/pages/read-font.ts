import { readFileSync } from 'node:fs'

/** The bytes of a font as base64. Called as a macro, which must be in a separate file, so that an executable holds them. */
export const readFont = (name: string): string =>
  readFileSync(`${import.meta.dir}/assets/${name}.woff2`).toString('base64')
