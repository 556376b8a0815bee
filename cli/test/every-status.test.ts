import { afterAll, expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { commandsByName } from '../generate/calls.ts'
import { callsOf, type OperationId, operationIds, operationOf, whyWithoutCommand } from '../src/calls.ts'
import { petstore } from './harness/petstore.ts'

// Every command, and every error that openapi.json declares for an operation that it calls, sent by a server that only plays the
// service: the exit code, standard output and standard error are those of the README. What is expected is written here again.

const exitCodeByStatus: Readonly<Record<number, number>> = {
  400: 5,
  401: 3,
  403: 3,
  404: 4,
  406: 5,
  409: 5,
  410: 5,
  412: 5,
  413: 5,
  414: 5,
  415: 5,
  418: 5,
  422: 5,
  429: 6,
  431: 5,
  500: 7,
  501: 7,
  502: 7,
  503: 7,
  504: 7,
}
const adviceByCode: Readonly<Record<string, string>> = {
  missing_api_key: 'Set PETSTORE_API_KEY or run `petstore login`.',
  invalid_api_key: 'Set a valid PETSTORE_API_KEY or run `petstore login`.',
}

const files = newDirectory()
afterAll(files.remove)
const petFile = join(files.path, 'pets.ndjson')
await Bun.write(petFile, '{"name":"Rex","category":"Newts","status":"sold","stock":3}\n')

/** Words that the description's examples do not give. */
const wordsFor: Readonly<Record<string, string>> = {
  'keys create': '--name App --plan free --preset client',
  'webhooks create': '--to https://shop.example/hooks --events order.*',
  'webhooks update': '1 --active false',
  'webhooks listen': '--forward-to http://127.0.0.1:1/',
  export: join(files.path, 'export.ndjson'),
  import: `${petFile} --again`,
}
/** Words with which a command calls an operation that is not its first. */
const wordsForOther: Readonly<Record<string, string>> = {
  'pets list listCategories': '--category Dogs',
  'pets counts listCategories': '--category Dogs',
  'pets create listCategories': '--name Rex --category Dogs',
  'pets update listCategories': '1 --category Dogs',
  'inventory update adjustInventory': '1 --delta 1',
}

const transient = ['rate_limited', 'quota_exhausted', 'internal_error', 'unavailable', 'outcome_unknown', 'bad_gateway']
interface Exception {
  readonly why: string
  readonly is: (command: string, operation: string, code: string) => boolean
}
const followsOn: Exception = {
  why: 'a stream that is followed is opened again until it works',
  is: (_, operation, code) => operation === 'streamEvents' && transient.includes(code),
}
const isDone: Exception = {
  why: 'the pet is created or changed, and is then shown without its category and stock',
  is: (command, operation) => /^pets (create|update)$/.test(command) && operation === 'getPetProfile',
}
const namesLines: Exception = {
  why: 'an import goes on after a rejected name, and reports its line: transfer.test.ts',
  is: (command, operation, code) =>
    command === 'import' && operation === 'createCategory' && code === 'validation_failed',
}
const waitsLong: Exception = {
  why: 'an import or export waits ten minutes for a service that restarts',
  is: (command, _, code) => ['import', 'export'].includes(command) && code === 'connection_failed',
}
/** What is not covered. `petstore mcp` passes messages on, whatever they are, and has no operation. */
const exceptions = [followsOn, isDone, namesLines, waitsLong]

interface Fault {
  readonly code: string
  readonly message: string
  readonly status: number
  readonly requestId: string
  readonly docs: string
  readonly errors?: readonly { readonly in: string; readonly path: string; readonly message: string }[]
}
interface Schema {
  readonly example?: unknown
  readonly items?: Schema
}
interface Media {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, unknown>>
}
interface Described {
  readonly content?: Readonly<Record<string, Media>>
}
interface DescribedOperation {
  readonly operationId: OperationId
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, unknown>>
}

const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))

/** The part of the description that this is, or that it refers to. */
function resolve<T>(part: unknown): T {
  const { $ref } = part as { $ref?: string }
  if ($ref === undefined) return part as T
  return resolve(
    $ref
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name], document),
  )
}

function exampleOf(schema: Schema): unknown {
  const { example, items } = resolve<Schema>(schema)
  return example ?? (items && [exampleOf(items)])
}

/** What the description says of an operation, in examples. */
const examples = Object.fromEntries(
  Object.values<Record<string, DescribedOperation>>(document.paths)
    .flatMap(Object.values)
    .map(({ operationId, requestBody, responses }: DescribedOperation) => {
      const mediaOf = (status: string) => resolve<Described>(responses[status] ?? {}).content?.['application/json']
      const success = Object.keys(responses).find((status) => status < '300') ?? ''
      const result = mediaOf(success)
      const body = requestBody?.content?.['application/json']
      const faults = Object.keys(responses).flatMap((status) =>
        Object.values(mediaOf(status)?.examples ?? {}).map((example) => resolve<{ value: Fault }>(example).value),
      )
      return [
        operationId,
        {
          status: Number(success),
          result: result && exampleOf(result.schema),
          body: (body && exampleOf(body.schema)) as Readonly<Record<string, unknown>> | undefined,
          faults,
        },
      ]
    }),
)

/** The conditions of the changes that were sent. */
const conditions: (string | null)[] = []
let rejecting: { operation?: string; response: () => Response } = { response: () => new Response() }
const patterns = operationIds
  .map((id) => ({ id, ...operationOf(id) }))
  .map(({ id, method, path }) => ({ id, method, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '\\d+')}$`) }))

/** Plays the service: every operation returns its example, except the one that rejects. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ method, url, headers }) {
    const { pathname } = new URL(url)
    if (method !== 'GET') conditions.push(headers.get('If-Match'))
    const id = patterns.find((each) => each.method === method && each.path.test(pathname))?.id ?? ''
    if (id === rejecting.operation) return rejecting.response()
    const { status, result } = examples[id] ?? { status: 599 }
    return result === undefined ? new Response(null, { status }) : Response.json(result, { status })
  },
})
afterAll(() => server.stop(true))

/** The rejection asks for an hour, which is more than any command waits. */
const rejectWith = (operation: string, fault: Fault) => {
  const headers = { 'Retry-After': '3600' }
  rejecting = { operation, response: () => Response.json(fault, { status: fault.status, headers }) }
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The words of a command that calls this operation, made from the example of its body. */
function wordsOf(name: string, command: Command, id: OperationId): string[] {
  const given = wordsForOther[`${name} ${id}`] ?? wordsFor[name]
  if (given !== undefined) return given.split(' ')
  const ids = command.registeredArguments.map(() => '1')
  const isFirst = callsOf(command)[0] === id
  if (!isFirst && command.options.some(({ long }) => long === '--dry-run')) return [...ids, '--dry-run']
  const fields = Object.entries(examples[id]?.body ?? {}).flatMap(([field, value]) => {
    const option = command.options.find((each) => each.attributeName() === field)
    if (!option || value === false) return []
    return option.isBoolean() ? [`--${kebab(field)}`] : [`--${kebab(field)}`, String(value)]
  })
  return [...ids, ...fields]
}

interface Row {
  readonly name: string
  readonly id: OperationId
  readonly words: readonly string[]
}
const rows: Row[] = [
  ...[...commandsByName()].flatMap(([name, command]) =>
    callsOf(command).map((id) => ({ name, id, words: [...name.split(' '), ...wordsOf(name, command, id)] })),
  ),
  ...operationIds.filter(whyWithoutCommand).map((id) => {
    const { method, path } = operationOf(id)
    const body = examples[id]?.body
    const data = body === undefined ? [] : ['--data', JSON.stringify(body)]
    return { name: 'api', id, words: ['api', method, path.replaceAll(/\{\w+\}/g, '1'), ...data] }
  }),
]

let runs = 0
/** Each with its own key, because all clients of a key in a process share its limits. */
function run(words: readonly string[]) {
  const key = `ps_${++runs}`
  return petstore(words, { env: { PETSTORE_URL: server.url.origin, PETSTORE_API_KEY: key }, input: key })
}
const isCovered = ({ name, id }: Row, code: string) => !exceptions.some(({ is }) => is(name, id, code))

/** The text on standard error for an error of the service. */
function textOf({ code, message, errors = [], docs, requestId }: Fault): string {
  const faults = errors.map(({ path, message }) => `  ${path.slice(1)}: ${message}`)
  const advice = adviceByCode[code]
  return [message, ...faults, ...(advice ? [advice] : []), `See ${docs} (request ${requestId})`, ''].join('\n')
}

/** Runs a command with --json, and without; each ends with this exit code, and prints nothing but the error. */
async function expectRejection({ name, id, words }: Row, fault: Pick<Fault, 'code' | 'status'>, exitCode: number) {
  const plain = await run(words)
  const { code, output, errors } = await run([...words, '--json'])
  const label = `${name}: ${id} ${fault.status} ${fault.code}`
  expect([label, plain.code, plain.output]).toEqual([label, exitCode, ''])
  expect([label, code, output]).toEqual([label, exitCode, ''])
  const { advice, ...error } = JSON.parse(errors)
  // Only an import has something to continue.
  expect([label, advice === undefined || name === 'import']).toEqual([label, true])
  return { label, text: name === 'import' ? plain.errors.replace(`${advice}\n`, '') : plain.errors, error }
}

test('every operation is called, and every exception has a case', () => {
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(operationIds))
  const cases = rows.flatMap((row) =>
    [...(examples[row.id]?.faults ?? []).map(({ code }) => code), 'connection_failed'].map(
      (code) => [row, code] as const,
    ),
  )
  const unused = exceptions.filter(({ is }) => !cases.some(([{ name, id }, code]) => is(name, id, code)))
  expect(unused).toEqual([])
})

test('the README and the help have the same exit codes', async () => {
  const { output: help } = await run(['--help'])
  for (const text of [readFileSync(join(root, 'cli/README.md'), 'utf8'), help]) {
    const lines = [...text.matchAll(/^ {2}(\d) {4}.*\((\d{3}.*)\)$/gm)]
    const listed = lines.flatMap(([, code, statuses = '']) =>
      statuses.split(', ').map((status) => [status, Number(code)] as const),
    )
    expect(listed.length).toBeGreaterThan(7)
    expect(exitCodeByStatus).toMatchObject(Object.fromEntries(listed))
  }
})

test.each(rows)('$name ends with the exit code and the words of each error of $id', async (row) => {
  const faults = (examples[row.id]?.faults ?? []).filter(({ code }) => isCovered(row, code))
  for (const fault of faults) {
    rejectWith(row.id, fault)
    const exitCode = exitCodeByStatus[fault.status] ?? 0
    const { label, text, error } = await expectRejection(row, fault, exitCode)
    expect([label, text]).toEqual([label, textOf(fault)])
    expect([label, error]).toEqual([label, { ...fault, exitCode }])
  }
})

test.each(rows)('$name ends with 7 if something else responds to $id', async (row) => {
  for (const [status, code] of [
    [404, 'not_found'],
    [502, 'bad_gateway'],
  ] as const) {
    if (!isCovered(row, code)) continue
    const headers = { 'Content-Type': 'text/html', 'Retry-After': '3600' }
    rejecting = { operation: row.id, response: () => new Response('<h1>Rats</h1>', { status, headers }) }
    const { label, text, error } = await expectRejection(row, { status, code }, 7)
    const message = `This response is not from the service: ${status} <h1>Rats</h1>`
    const advice = 'Is this the URL of the service? PETSTORE_URL or --url selects another.'
    expect([label, text]).toEqual([label, `${message}\n${advice}\n`])
    expect([label, error]).toEqual([label, { code: 'unexpected_response', status, message, exitCode: 7 }])
  }
})

const takesCondition = (name: string) =>
  commandsByName()
    .get(name)
    ?.options.some(({ long }) => long === '--if-match')
const withCondition = rows.filter(({ name, id }) => operationOf(id).method !== 'GET' && takesCondition(name))

test.each(withCondition)('$name sends the ETag of --if-match to $id', async ({ words }) => {
  rejecting = { response: () => new Response() }
  conditions.length = 0
  expect((await run([...words, '--if-match', '"read"'])).errors).toBe('')
  expect(conditions).toEqual(['"read"'])
})

const mains = [...new Map(rows.toReversed().map((row) => [row.name, row])).values()].toReversed()

test.each(mains.filter((row) => isCovered(row, 'connection_failed')))(
  '$name ends with 7 if nothing responds',
  async ({ words, ...row }) => {
    // The command tries again, after a random part of a back-off: none.
    using _ = spyOn(Math, 'random').mockReturnValue(0)
    const elsewhere = { ...row, words: [...words, '--url', 'http://127.0.0.1:1'] }
    const { text, error } = await expectRejection(elsewhere, { status: 0, code: 'connection_failed' }, 7)
    expect(error).toEqual({ code: 'connection_failed', status: 0, message: expect.any(String), exitCode: 7 })
    expect(error.message).toStartWith('http://127.0.0.1:1 did not respond: ')
    const advice = 'Is the service running? `petstore serve` starts one; PETSTORE_URL or --url selects another.'
    expect(text).toBe(`${error.message}\n${advice}\n`)
  },
)

test.each(Object.entries(exitCodeByStatus))(
  'a new code with the status %s has the exit code of its status',
  async (status, exitCode) => {
    const fault = {
      code: 'gnawed_cable',
      message: 'A rat was here.',
      status: Number(status),
      requestId: 'r1',
      docs: 'https://rats.example',
    }
    const row = rows.find(({ id }) => id === 'getPetProfile') as Row
    rejectWith(row.id, fault)
    const { text, error } = await expectRejection(row, fault, exitCode)
    expect(text).toBe(textOf(fault))
    expect(error).toEqual({ ...fault, exitCode })
  },
)
