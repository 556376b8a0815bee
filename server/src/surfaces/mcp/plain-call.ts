import type { GivenHeaders } from '../http/request.ts'
import type { Message } from './read-message.ts'

// The package validates every message and result several times, which takes two to four times as long as a read of the shop. A call of
// a tool that has nothing unusual about it needs none of that: it is recognized and handled here. A test compares both ways.

const keys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
}
const known = new Set(['jsonrpc', 'id', 'method', 'params'])
const knownParams = new Set(['name', 'arguments', '_meta'])

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const hasOnly = (value: object, names: ReadonlySet<string>): boolean =>
  Object.keys(value).every((name) => names.has(name))

/** The revisions of the protocol that clients are told about, newest first. */
export const revisions = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof revisions)[number]

/** The revision of a message that is a call of a tool, complete, and nothing else. The package handles all others. */
export function revisionOfPlainCall(message: Message, headers: GivenHeaders): Revision | undefined {
  const { jsonrpc, id, method, params } = message as Fields
  const isRequest = jsonrpc === '2.0' && (typeof id === 'string' || Number.isSafeInteger(id)) && hasOnly(message, known)
  if (!isRequest || method !== 'tools/call' || !isFields(params) || !hasOnly(params, knownParams)) return undefined
  if (!headers.accept?.includes('application/json') || !headers.accept.includes('text/event-stream')) return undefined
  if (!isFields(params.arguments ?? {})) return undefined
  const revision = headers['mcp-protocol-version']
  if (revision === '2025-11-25') return params._meta === undefined ? revision : undefined
  const isNamed = headers['mcp-method'] === method && headers['mcp-name'] === params.name
  return revision === '2026-07-28' && isNamed && isEnvelope(params._meta, revision) ? revision : undefined
}

function isEnvelope(meta: unknown, revision: Revision): boolean {
  if (!isFields(meta) || Object.keys(meta).length !== 3) return false
  const { [keys.version]: version, [keys.client]: client, [keys.capabilities]: capabilities } = meta
  const isClient = isFields(client) && typeof client.name === 'string' && typeof client.version === 'string'
  return version === revision && isClient && isFields(capabilities)
}

/** The response to such a call. */
export function respondPlainly(revision: Revision, { id }: Message, result: object, serverInfo: object): Response {
  const current = { resultType: 'complete', _meta: { [keys.server]: serverInfo } }
  const message = { result: { ...result, ...(revision === '2026-07-28' && current) }, jsonrpc: '2.0', id }
  return new Response(JSON.stringify(message), { headers: { 'Content-Type': 'application/json' } })
}
