import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, namesIn, repository } from './harness/repository-files.ts'

// Checks the texts that users read against the table in CONTRIBUTING.md: one word for one thing.

const read = (file: string) => readFileSync(join(repository, file), 'utf8')

const patternOf = (name: string): string =>
  `(?<![\\w-])${name.replace(/[.\\+?()[\]{}|^$]/g, '\\$&').replaceAll('*', '\\w*')}(?!\\w)`

const [, section = ''] = read('CONTRIBUTING.md').split('\n## Words\n')
const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \| (.*?) ?\| (.*?) ?\|$/gm)].slice(2)
const banned = rows.flatMap(([, write = '', not = '', except = '']) => {
  const exceptions = namesIn(except).map(patternOf)
  return namesIn(not).map((name) => ({
    name,
    write,
    exception: exceptions.length > 0 ? new RegExp(exceptions.join('|'), 'gi') : undefined,
    pattern: new RegExp(patternOf(name), 'i'),
  }))
})

/** Markdown without code, addresses of links, and the names of tests in tables. */
const textOfMarkdown = (markdown: string): string[] =>
  markdown
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[\w/-]+`: [^|]*\|$/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split('\n\n')

/** Calls, operators and SQL. */
const isCode = /\w\(|&&|\$\{[^}]*$|\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|ALTER) /

/** A line of a longer text, between backticks or tags. */
const isTextLine = /^\s*(?!(?:if|return|throw|const|case|export|import|await)\b)(?:[\w’,.:()-]+ ){3,}[\w’,.:()-]+$/

/** Sentences in code: literals of several words, and what stands between tags. What else is code is left out. */
function textsInCode(source: string): string[] {
  const lines = source
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .split('\n')
  return lines
    .flatMap((line) => {
      const literals = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)/g)]
      const between = [...line.matchAll(/(?<![=-])>([^<>{}=;]+)/g)]
      const alone = isTextLine.test(line) ? [line] : []
      return [
        ...[...literals, ...between].map(([, ...texts]) => texts.find((text) => text !== undefined) ?? ''),
        ...alone,
      ]
    })
    .filter((text) => /[a-z],? [a-z`$]/i.test(text) && !isCode.test(text))
}

/** All texts of the OpenAPI document. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const documents = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'cli/README.md', 'sdk/README.md', 'examples/README.md'],
  ...['configuration', 'debian', 'dependencies', 'operating'].map((name) => `docs/${name}.md`),
  ...filesIn(join(repository, 'server/src/pages/guides'), /\.md$/).map((file) => `server/src/pages/guides/${file}`),
]
const sources = ['server/src', 'cli/src', 'console/src', 'sdk/src'].flatMap((folder) =>
  filesIn(join(repository, folder), /\.(tsx?|client\.js)$/)
    .map((file) => `${folder}/${file}`)
    .filter((file) => !/\/migrations\/|sdk\/src\/schema\.ts$/.test(file)),
)

test('texts for users use the words of the vocabulary', () => {
  expect(banned.length).toBeGreaterThan(15)
  const texts = [
    ...documents.map((file) => [file, textOfMarkdown(read(file))] as const),
    ...sources.map((file) => [file, textsInCode(read(file))] as const),
    ['openapi.json', textsIn(JSON.parse(read('openapi.json')))] as const,
  ]
  const found = texts.flatMap(([file, all]) =>
    all.flatMap((whole) => {
      const text = whole
        .replace(/\\?`[^`\n]*`/g, '')
        .replace(/\$\{[^}]*\}|\{\{\w+\}\}/g, '')
        .replace(/\s+/g, ' ')
      return banned
        .filter(({ pattern, exception }) => pattern.test(exception ? text.replace(exception, '') : text))
        .map(({ name, write }) => `${file}: ${name} (${write}): ${text.trim().slice(0, 120)}`)
    }),
  )
  expect(found).toEqual([])
})
