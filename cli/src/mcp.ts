import { type Command, Option } from 'commander'
import { withExamples } from './examples.ts'
import { reasonOf } from './failure.ts'
import { type AssistantName, assistantNames, configurationFor } from './mcp-configuration.ts'
import { findKey, serviceUrl } from './shop/connect.ts'
import type { Terminal } from './terminal.ts'

/** Lets a desktop assistant use the shop: passes its messages on to the service, with the user's key. */
export function addMcp(program: Command, terminal: Terminal): void {
  const mcp = program
    .command('mcp')
    .description(
      'Let a desktop assistant use the shop with your key: speaks the Model Context Protocol on standard input and output. Use a key with the reader preset unless the assistant should change things.',
    )
    .option('--tools <toolset,…>', 'only these tools, such as orders,stock; all that the key may use by default')
    .addOption(new Option('--install <client>', 'print the configuration for this client').choices(assistantNames))
    .action(async ({ install, tools }: { install?: AssistantName; tools?: string }) => {
      if (install !== undefined) return printConfiguration(terminal, mcp, install)
      const url = serviceUrl(terminal, mcp)
      const { apiKey } = findKey(url, terminal)
      await relayMessages(terminal, { url, tools, apiKey })
    })
  withExamples(
    mcp,
    ['petstore mcp --install claude-desktop', 'print what to add to its settings'],
    ['petstore mcp --url https://petstore.example.com', 'what the assistant runs'],
    ['petstore mcp --install cursor --tools orders,stock', 'only some of the tools'],
  )
}

async function printConfiguration(terminal: Terminal, command: Command, name: AssistantName): Promise<void> {
  const { url, tools } = command.optsWithGlobals<{ url?: string; tools?: string }>()
  const args = Object.entries({ '--url': url, '--tools': tools }).flatMap(([option, value]) =>
    value === undefined ? [] : [option, value],
  )
  const { place, text } = configurationFor(name, ['mcp', ...args])
  terminal.printMessage(`${place}:\n`)
  await terminal.write(`${text}\n`)
}

const toQuery = (tools: string | undefined): string => (tools === undefined ? '' : `?${new URLSearchParams({ tools })}`)

interface Endpoint {
  readonly url: string
  readonly tools: string | undefined
  readonly apiKey: string
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly uri?: string; readonly _meta?: Record<string, unknown> }
  readonly result?: { readonly protocolVersion?: string }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** One message per line, in both directions, until the assistant closes standard input. */
async function relayMessages(terminal: Terminal, endpoint: Endpoint): Promise<void> {
  // Older clients agree on a revision once; newer ones name it in every message.
  let agreed: string | undefined
  const pending = new Set<Promise<void>>()

  async function relay(line: string): Promise<void> {
    const message = parse(line)
    const isHandshake = message.method === 'initialize'
    for (const response of await send(line, message, endpoint, isHandshake ? undefined : agreed)) {
      if (isHandshake) agreed = parse(response).result?.protocolVersion ?? agreed
      await terminal.writeUnchanged(`${response}\n`)
    }
  }

  for await (const line of linesOf(terminal.stdin)) {
    const relayed = relay(line)
    pending.add(relayed)
    void relayed.finally(() => pending.delete(relayed))
  }
  await Promise.all(pending)
}

async function* linesOf(stdin: Terminal['stdin']): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdin) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '')
  }
  // The last line may end without a newline.
  if (text.trim() !== '') yield text
}

function parse(text: string): Message {
  try {
    return Object(JSON.parse(text))
  } catch {
    // The service rejects it with an error of the protocol.
    return {}
  }
}

/** Sends a message to the service, unchanged, and returns its responses. */
async function send(
  body: string,
  message: Message,
  { url, tools, apiKey }: Endpoint,
  agreed?: string,
): Promise<string[]> {
  const { id, method = '', params } = message
  const version = params?._meta?.[versionKey] ?? agreed
  const name = params?.name ?? params?.uri
  const headers = {
    'X-API-Key': apiKey,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Mcp-Method': toHeader(method),
    ...(typeof version === 'string' && { 'MCP-Protocol-Version': toHeader(version) }),
    ...(typeof name === 'string' && { 'Mcp-Name': toHeader(name) }),
  }
  try {
    // A redirect would give the key to another server.
    const response = await fetch(`${url}/mcp${toQuery(tools)}`, { method: 'POST', headers, body, redirect: 'manual' })
    const text = await response.text()
    const location = response.headers.get('Location')
    if (!response.ok && location) throw new Error(`it redirects to ${location}. If it is there, use that URL.`)
    // A notification gets no response, even if it is rejected.
    if (text === '' || (id === undefined && method !== '')) return []
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
      return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data)
    }
    const message = JSON.parse(text)
    // A caller without a valid key is rejected before its message is read, so the service does not know the id.
    return [JSON.stringify({ ...message, id: message.id ?? id ?? null })]
  } catch (error) {
    if (id === undefined) return []
    const failure = {
      code: -32_000,
      message: `The service at ${url} did not respond as expected: ${reasonOf(error)}`,
    }
    return [JSON.stringify({ jsonrpc: '2.0', id, error: failure })]
  }
}

/** Text that a header cannot hold is encoded as the protocol says. */
const toHeader = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
