import { renameSync, writeFileSync } from 'node:fs'

/** Replaces a file in one step, so that a crash leaves the old one or the new one. Only its owner can read it. */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
