import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const imported = /(?:from |import\()['"](\.[^'"]+)\.js['"]/g

/** Copies the declarations that the entries need, and no others: the compiler writes them for the whole program. */
export function copyReachable(from: string, to: string, entries: readonly string[]): void {
  const seen = new Set<string>()
  const copy = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const target = join(to, relative(from, file))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(file, target)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(imported)) copy(join(dirname(file), `${path}.d.ts`))
  }
  for (const entry of entries) copy(join(from, entry))
}
