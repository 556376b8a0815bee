import { type Client, type Scenario, type Setting, scenarios, settingsOf } from './client.ts'
import { versionsOf } from './clients.ts'

/** What is said about a client with one of its settings. */
export interface Row {
  readonly client: Client
  readonly setting: Setting
  readonly cells: Readonly<Partial<Record<Scenario, Cell>>>
}

interface Cell {
  readonly facts: string
  readonly verdict: string
}

/** Debian keeps a version for years. When its authors released the ones that were examined, by their changelogs. */
const releases: Readonly<Record<string, string>> = {
  'curl 7.88.1': 'February 2023',
  'python3-requests 2.28.1': 'June 2022',
  'python3-urllib3 1.26.12': 'August 2022',
}

interface Page {
  readonly rows: readonly Row[]
  readonly runs: number
  readonly nodeVersion: string
  /** Clients that could not be run, with what the machine lacks. */
  readonly missing: readonly string[]
}

export function writePage({ rows, runs, nodeVersion, missing }: Page): string {
  const clients = [...new Set(rows.map(({ client }) => client))]
  return `<!-- Written by npm run judged. What it says is in cli/judged. -->
# Judged

What well-known clients do after a lost response, a 429 and a 503: facts, in the order of their names. \`npm run judged\` made this page on
${new Date().toISOString().slice(0, 10)}, with Node ${nodeVersion}, and makes it again.

Each client ran ${runs} times for each cell, through [\`petstore judge\`](../cli/README.md) and against a service on the same machine. A cell says what all ${runs} runs
have in common; waits are rounded to a tenth of a second, and a range is the shortest and the longest; a busy machine makes them longer. The link leads to the
recording of the first run.

- **Lost**: a POST reaches the service, which does it, and the connection is closed without a response. The next try passes. *Done* is how often the service did it.
- **429**: the first try of a read gets 429 with \`Retry-After: 2\`. The next one passes.
- **503**: three tries of a read get 503 without \`Retry-After\`. The next one passes.

Reads are two, of different things, one after the other with one client. A key is the \`Idempotency-Key\` of the POST. [Some APIs](#other-apis) differ.

| Client | Settings | Lost | 429 | 503 |
| --- | --- | --- | --- | --- |
${rows.map(rowOf).join('\n')}

The word in italics is the verdict of the rule: \`repeats\`, \`retry-after\` and \`back-off\`, the same [rules](decisions/0034-judging-clients.md) that judge our own SDK,
which is \`sdk\` here. *Not seen* means that too little happened to tell: the client did not retry, or chance may explain its waits. \`repeats\` fails for a POST that is sent
again without a key, because it may be done twice; giving up is no fault. *Not applicable*: sending it again does no harm. [expected.json](../cli/judged/expected.json) says why each verdict is what it is.

## Settings

*Default* is the client as installed. *Recommended* is what its own documentation shows for retries; where there is none, it shows nothing else.

| Client | Versions | Default | Recommended |
| --- | --- | --- | --- |
${clients.map(settingsRowOf).join('\n')}

## Other APIs

All others call a stub that knows nothing of their kind.

${clients
  .filter(({ api }) => api !== undefined)
  .map(({ name, api }) => `- **${name}**: ${api}`)
  .join('\n')}

## What this does not say

- Only our own service is the real one. What others send back is not judged, only what the client sends.
- A caller can do better than these settings: pass a key of its own, or look before it sends again.
- Debian's versions are old, as the table says. Newer ones may do something else.${missing.length > 0 ? `\n- Not run, because the machine lacked what they need: ${missing.join(', ')}.` : ''}

## To object

Open an issue with the name of the client and the recording, or one of your own. \`npm run judged -- got\` runs one client and prints what it did;
\`npx petstore judge --har docs/judged/got-default.har --profile cli/judged/profiles/stub.yaml\` judges a recording. What is wrong here is
corrected or withdrawn.
`
}

export const fileOf = ({ client, setting }: Row): string => `${client.name}-${setting}.har`

function rowOf(row: Row): string {
  const { client, setting, cells } = row
  const texts = scenarios.map((scenario) => {
    const cell = cells[scenario]
    return cell ? `${cell.facts}. *${cell.verdict}*` : '–'
  })
  return `| ${client.name} | [${setting}](judged/${fileOf(row)}) | ${texts.join(' | ')} |`
}

function settingsRowOf(client: Client): string {
  const settings = settingsOf(client)
  const versions = Object.entries(versionsOf(client)).map(describeVersion)
  const words = [
    client.settings.default,
    settings.includes('recommended') ? client.settings.recommended : 'nothing else',
  ]
  return `| ${client.name} | ${versions.join(', ') || '–'} | ${words.join(' | ')} |`
}

function describeVersion([name, version]: [string, string]): string {
  const upstream = version.replace(/^\d+:/, '').replace(/[+-].*$/, '')
  const release = releases[`${name} ${upstream}`]
  return `${name} ${version}${release === undefined ? '' : ` (of ${release})`}`
}
