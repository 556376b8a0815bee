import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Service } from '../../harness/service.ts'

export const revisions = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof revisions)[number]

/** How the official client chooses a revision. */
export const negotiation = (revision: Revision) => ({
  versionNegotiation: { mode: revision === '2025-11-25' ? ('legacy' as const) : { pin: revision } },
})

/** What a tool call came to. */
export interface ToolOutcome {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and the client checks the schema
  readonly body: any
}

export interface Agent extends AsyncDisposable {
  readonly client: Client
  call(name: string, given?: Record<string, unknown>): Promise<ToolOutcome>
}

/** Wraps a connected client. The list of tools is read first, because the client checks results only of tools that it knows. */
export async function createAgent(client: Client): Promise<Agent> {
  await client.listTools()
  return {
    client,
    async call(name, given = {}) {
      const { isError = false, structuredContent: body, content } = await client.callTool({ name, arguments: given })
      const [text] = content
      if (text?.type !== 'text' || text.text !== JSON.stringify(body)) throw new Error('text and structure differ')
      return { isError, body }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The official client over HTTP, with an API key. */
export async function connectAgent(service: Service, secret: string, revision: Revision): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' }, negotiation(revision))
  const headers = { 'X-API-Key': secret }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }))
  return createAgent(client)
}

/** A connected agent with a new key. */
export async function newAgent(service: Service, key: Record<string, unknown>, revision: Revision = '2026-07-28') {
  const { secret = '', keyId } = await service.newClient(key)
  return Object.assign(await connectAgent(service, secret, revision), { secret, keyId })
}
