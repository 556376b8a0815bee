import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { Argument, InvalidArgumentError } from 'commander'
import { toJson } from './controls.ts'
import { withExamples } from './examples.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { selectField } from './select-field.ts'
import { connect } from './shop/connect.ts'
import type { Terminal } from './terminal.ts'

interface Options {
  readonly data?: string
  readonly header?: readonly string[]
  readonly field?: string
  readonly include?: boolean
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function addApi(program: Command, terminal: Terminal): void {
  const api = program
    .command('api')
    .description(
      'Call any operation of the service, with your key, retries and limits, and print the response as JSON.',
    )
    .addArgument(new Argument('<method>', 'the method, in any case').choices(methods).argParser(parseMethod))
    .argument('<path>', 'the path, with its query; its first / may be left out', parsePath)
    .option('--data <json>', 'the body; @file or - reads it from a file or from standard input')
    .option('--header <name: value>', 'another header; may be repeated', collect)
    .option(
      '--field <path>',
      'print only this part of the response, such as .name, .[0].id or .[].name; texts without quotes',
    )
    .option('--include', 'print the status and the headers first')
    .action(async (method: string, path: string, options: Options) => callApi(terminal, api, method, path, options))
  withExamples(
    api,
    ['petstore api GET "/pets?status=sold" --field ".[].name"', 'names, one per line'],
    ['petstore api PATCH /pets/1 --data \'{"name":"Max"}\'', 'send a body'],
    ['petstore api GET /pets/1/profile --include', 'see its ETag'],
  )
}

function parseMethod(text: string): string {
  const method = text.toUpperCase()
  if (methods.includes(method)) return method
  throw new InvalidArgumentError(`Must be one of ${methods.join(', ')}.`)
}

function parsePath(text: string): string {
  if (/^https?:/i.test(text)) throw new InvalidArgumentError('Must be a path, such as /pets; --url is the service.')
  return text.startsWith('/') ? text : `/${text}`
}

const collect = (value: string, all: readonly string[] = []): string[] => [...all, value]

async function callApi(
  terminal: Terminal,
  api: Command,
  method: string,
  path: string,
  { data, header = [], field, include }: Options,
): Promise<void> {
  if (method === 'GET' && data !== undefined) {
    throw new Failure(
      'GET takes no --data. Filters belong to the path, such as "/pets?status=sold".',
      exitCodes.misused,
    )
  }
  const text = data === undefined ? undefined : await readData(terminal, data)
  const body = text === undefined ? undefined : parseBody(text)
  const headers = Object.fromEntries(header.map(parseHeader))
  // The text as it was given: as a parsed number, a large one would be rounded.
  const fetchText = (url: string, init: RequestInit) => fetch(url, text === undefined ? init : { ...init, body: text })
  const response = await connect(terminal, api, { fetch: fetchText }).request(method, path, { body, headers })
  if (include) {
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\n`)
    await terminal.write(`${response.status} ${response.statusText}\n${lines.join('')}\n`)
  }
  if (!response.headers.get('Content-Type')?.includes('json')) return writeAsItComes(terminal, response)
  const content: unknown = await response.json()
  const parts = field === undefined ? [content] : selectField(content, field)
  for (const part of parts) {
    await terminal.write(`${field !== undefined && typeof part === 'string' ? part : toJson(part, 2)}\n`)
  }
}

/** An event stream has no end. */
async function writeAsItComes({ write }: Terminal, { body }: Response): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) await write(decoder.decode(chunk, { stream: true }))
}

async function readData({ stdin }: Terminal, data: string): Promise<string> {
  if (data.startsWith('@')) return readFileSync(data.slice(1), 'utf8')
  if (data !== '-') return data
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdin) text += decoder.decode(chunk, { stream: true })
  return text
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure(`--data is not valid JSON: ${(error as Error).message}`, exitCodes.misused)
  }
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w-]+): *(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new Failure(`--header must be a name and a value, such as "If-Match: …", not "${text}".`, exitCodes.misused)
  }
  return [name, value]
}
