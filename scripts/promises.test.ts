import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isNamedTestThere } from './named-test.ts'

// docs/promises.md names a test for every promise of the documents. It lists their sections in order, each with promises, quoted, or with
// the reason that it has none.

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const oneLine = (text: string) => text.replace(/\s+/g, ' ')
const guides = [...new Bun.Glob('*.md').scanSync(join(root, 'server/src/pages/guides'))].toSorted()
const documents = [
  ...['README.md', 'cli/README.md', 'ARCHITECTURE.md', 'docs/configuration.md', 'docs/operating.md'],
  ...guides.map((file) => `server/src/pages/guides/${file}`),
]

/** The sections of a Markdown text by heading; `#` in code is not a heading. */
function sectionsOf(text: string, level: RegExp): Map<string, string> {
  const sections = new Map<string, string>()
  let [heading, isCode] = ['', false]
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const found = isCode ? undefined : level.exec(line)?.[1]
    // Some headings end with a number of files, which another test checks.
    if (found !== undefined) heading = found.replace(/: \d+ files( more)?$/, '')
    if (heading !== '') sections.set(heading, `${sections.get(heading) ?? ''}${found === undefined ? line : ''}\n`)
  }
  return sections
}

const listed = sectionsOf(read('docs/promises.md'), /^## (.+)$/)
const entry = /^- (?:none: .+|(.+) → `([\w/-]+)`: (.+))$/

test('every document and every section of it is listed', () => {
  expect([...listed.keys()]).toEqual(documents)
  for (const document of documents) {
    const sections = sectionsOf(listed.get(document) ?? '', /^### (.+)$/)
    expect([document, [...sections.keys()]]).toEqual([
      document,
      [...sectionsOf(read(document), /^#{1,3} (.+)$/).keys()],
    ])
    for (const [heading, lines] of sections) {
      const entries = lines.split('\n').filter((line) => line !== '')
      expect([document, heading, entries.length > 0]).toEqual([document, heading, true])
      expect([document, heading, entries.filter((line) => !entry.test(line))]).toEqual([document, heading, []])
    }
  }
})

test('every promise stands in its section, and the test that it names exists', () => {
  const faults: string[] = []
  for (const document of documents) {
    const sections = sectionsOf(read(document), /^#{1,3} (.+)$/)
    for (const [heading, lines] of sectionsOf(listed.get(document) ?? '', /^### (.+)$/)) {
      for (const line of lines.split('\n')) {
        const [, promise, file, title = ''] = entry.exec(line) ?? []
        if (promise === undefined || file === undefined) continue
        const where = `${document}, ${heading}`
        if (!oneLine(sections.get(heading) ?? '').includes(promise)) faults.push(`${where} no longer says: ${promise}`)
        if (!isNamedTestThere(file, title)) faults.push(`${where}: ${file} has no test called: ${title}`)
      }
    }
  }
  expect(faults).toEqual([])
})
