import { writeSync } from 'node:fs'

/** Writes a whole text and returns its length in bytes. One write may stop early on a full disk; only the next one fails. */
export function writeWhole(file: number, text: string, position: number | null = null): number {
  const bytes = Buffer.from(text)
  let done = 0
  while (done < bytes.length) {
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done)
  }
  return done
}
