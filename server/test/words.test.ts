import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { architecture, filesIn, findings, namesIn, readAll, repository } from './harness/repository-files.ts'

// Checks every text against the glossary of ARCHITECTURE.md, and the form of decision records.

/** Everything that people read or write, by its path in the repository. */
const texts = new Map(
  [
    ...['.github', 'bench', 'cli', 'console', 'deploy', 'docs', 'examples', 'scripts', 'sdk', 'server'].flatMap(
      (folder) =>
        filesIn(join(repository, folder), /\.(tsx?|m?js|md|css|ya?ml|py|txt)$/).map((file) => join(folder, file)),
    ),
    ...readdirSync(repository).filter((file) => file.endsWith('.md')),
    'openapi.json',
  ]
    // Frozen, generated from them, or this test itself.
    .filter((file) => !/^server\/(src\/db\/migrations\/|test\/db\/schema\.|test\/words\.test\.ts)/.test(file))
    .map((file) => [file, readFileSync(join(repository, file), 'utf8')]),
)

const [beforeGlossary = '', fromGlossary = ''] = architecture.split('## Glossary\n')
const [glossary = '', ...afterGlossary] = fromGlossary.split('\n## ')
texts.set('ARCHITECTURE.md', beforeGlossary + afterGlossary.join('\n## '))
const bannedTerms = [...glossary.matchAll(/^\| .* \| ([^|]*) \|$/gm)].flatMap(([, banned]) => namesIn(banned ?? ''))
const [bannedWords = [], bannedFunctions = [], bannedValues = []] = [
  'Banned everywhere',
  'Functions are',
  'Values are',
].map((opening) => namesIn(glossary.slice(glossary.indexOf(opening)).split(/\. |\.\n/)[0] ?? ''))

test('no text uses a word that the glossary bans', () => {
  expect(bannedWords).toContain('whoever')
  expect(bannedTerms).toContain('corridor')
  const words = [...bannedTerms, ...bannedWords].map((name) => ({
    name,
    // With capitals it is a name in the code, matched as it is; else it is a word in names and sentences.
    isCode: /[A-Z]/.test(name),
    pattern: /[A-Z]/.test(name) ? new RegExp(`\\b${name}\\b`) : new RegExp(`\\b${name}s?\\b`, 'i'),
  }))
  const values = bannedValues.map((name) => ({ name, isCode: true, pattern: new RegExp(`['"]${name}['"]`) }))
  const used = [...texts].flatMap(([file, text]) => {
    const whole = `${file} ${text}`
    // In quotes it names the Unix user.
    const sentences = whole
      .replaceAll("'nobody'", '')
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/\s+(?:(?:\*|\/\/|#)\s+)?/g, ' ')
    return [...words, ...values]
      .filter(({ isCode, pattern }) => pattern.test(isCode ? whole : sentences))
      .map(({ name }) => `${file}: ${name}`)
  })
  expect(used).toEqual([])
})

test('functions are named by verbs', () => {
  expect(bannedFunctions).toContain('asked')
  const names = bannedFunctions.join('|')
  const definition = new RegExp(
    `\\bfunction\\*? (?:${names})\\b|\\bconst (?:${names})\\b[^=\\n]*= (?:async )?(?:<[^>]*>)?\\([^()\\n]*\\)[^=\\n]*=>`,
    'g',
  )
  const code = new Map([...texts].filter(([file]) => /\.(tsx?|js)$/.test(file)))
  expect(findings(code, (_, source) => source.match(definition) ?? [])).toEqual([])
})

test('a decision record has a status and fits on a page', () => {
  const folder = join(repository, 'docs/decisions')
  const records = readAll(folder, /\.md$/)
  const status = /^(?:\*\*Status\.\*\*|Status:) (?:accepted|superseded by \[decision \d+\]\([\w.-]+\))/im
  const faults = findings(records, (_, text) => {
    const named = [...text.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, file]) => file as string)
    return [
      ...(status.test(text) ? [] : ['no status']),
      ...named.filter((file) => !records.has(file)).map((file) => `${file} does not exist`),
      ...(text.length > 5_500 ? [`${text.length} characters`] : []),
    ]
  })
  expect(faults).toEqual([])
})
