// Writes what follows from openapi.json: src/schema.ts, src/names.ts and the errors in the comments of methods. With --check it only
// compares, and fails if one of them is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withErrors } from './generate/comments.ts'
import { readDescription } from './generate/description.ts'
import { names } from './generate/names.ts'

const isCheck = process.argv.includes('--check')
const at = (path: string) => join(import.meta.dir, path)
const description = readDescription()

function update(path: string, change: (before: string) => string): void {
  const before = readFileSync(at(path), { encoding: 'utf8', flag: 'a+' })
  const after = change(before)
  if (after === before) return
  if (isCheck) {
    process.stderr.write(`sdk/${path} is out of date.\n`)
    process.exitCode = 1
  } else writeFileSync(at(path), after)
}

const generator = at('../server/test/surfaces/description/clients/node_modules/.bin/openapi-typescript')
const flags = ['--output', at('src/schema.ts'), '--default-non-nullable', 'false', ...(isCheck ? ['--check'] : [])]
const { exitCode } = Bun.spawnSync([process.execPath, '--bun', generator, at('../openapi.json'), ...flags], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (exitCode !== 0) process.exitCode = exitCode

update('src/names.ts', () => names(description))
for (const file of readdirSync(at('src')).filter((name) => name.endsWith('.ts')))
  update(`src/${file}`, (text) => withErrors(text, description))
