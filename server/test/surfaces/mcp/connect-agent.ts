import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioClientTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Service } from '../../harness/service.ts'

/** Where the service is: its URL with a key, or the program that passes messages on to it. */
export type Place =
  | { readonly url: string; readonly secret: string; readonly query?: string }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }

const info = { name: 'test', version: '1.0.0' }

async function connect2(place: Place, revision: '2026-07-28' | '2025-11-25'): Promise<Client> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision }
  const client = new Client(info, { versionNegotiation: { mode } })
  const transport =
    'url' in place
      ? new StreamableHTTPClientTransport(new URL(`${place.url}/mcp${place.query ?? ''}`), {
          requestInit: withKey(place.secret),
        })
      : new StdioClientTransport(place)
  await client.connect(transport)
  if (client.getNegotiatedProtocolVersion() !== revision) throw new Error(`the client does not speak ${revision}`)
  return client
}

/** The 1.x client has the methods of 2.x that tests use; only the declared types differ. */
async function connect1(place: Place): Promise<Client> {
  const client = new Client1(info)
  const transport =
    'url' in place
      ? new StreamableHTTPClientTransport1(new URL(`${place.url}/mcp${place.query ?? ''}`), {
          requestInit: withKey(place.secret),
        })
      : new StdioClientTransport1(place)
  await client.connect(transport as Parameters<Client1['connect']>[0])
  return client as unknown as Client
}

const withKey = (secret: string) => ({ headers: { 'X-API-Key': secret } })

const clients = {
  '2.x by revision 2026-07-28': (place: Place) => connect2(place, '2026-07-28'),
  '2.x by revision 2025-11-25': (place: Place) => connect2(place, '2025-11-25'),
  '1.x': connect1,
}

export type ClientName = keyof typeof clients
/** The official clients: 2.x with each revision that it speaks, and 1.x. */
export const clientNames = Object.keys(clients) as ClientName[]

/** The result of a tool call. */
export interface ToolOutcome {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and the client checks the schema
  readonly body: any
}

export interface Agent extends AsyncDisposable {
  readonly client: Client
  call(name: string, given?: Record<string, unknown>): Promise<ToolOutcome>
}

/** An official client, connected. The list of tools is read first, because the client checks results only of tools that it knows. */
export async function connectAgent(place: Place, name: ClientName): Promise<Agent> {
  const client = await clients[name](place)
  await client.listTools()
  return {
    client,
    async call(name, given = {}) {
      const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: given })
      const [text] = content
      if (text?.type !== 'text') throw new Error('the result has no text')
      const expected = isError ? undefined : text.text
      if (JSON.stringify(structuredContent) !== expected) throw new Error('text and structure differ')
      return { isError, body: JSON.parse(text.text) }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** An agent over HTTP, with a new key. */
export async function newAgent(
  service: Service,
  key: Record<string, unknown>,
  name: ClientName = '2.x by revision 2026-07-28',
) {
  const { secret = '', keyId } = await service.newClient(key)
  return Object.assign(await connectAgent({ url: service.url, secret }, name), { secret, keyId })
}
