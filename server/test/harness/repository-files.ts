import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const repository = join(import.meta.dir, '../../..')

/** The files below a folder, by their path from it. */
export const filesIn = (folder: string, pattern: RegExp): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|generated)\//.test(file))
    .sort()

export const readAll = (folder: string, pattern = /\.tsx?$/): Map<string, string> =>
  new Map(filesIn(folder, pattern).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))

export const architecture = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')

/** What a rule finds in files, each with the name of its file. */
export const findings = (all: Map<string, string>, rule: (file: string, source: string) => string[]): string[] =>
  [...all].flatMap(([file, source]) => rule(file, source).map((what) => `${file}: ${what}`))
