import { readFileSync } from 'node:fs'

/** The bytes of a picture as base64. Called as a macro, which must be in a separate file, so that an executable holds them. */
export const readPicture = (name: string): string =>
  readFileSync(`${import.meta.dir}/pictures/${name}.png`).toString('base64')
