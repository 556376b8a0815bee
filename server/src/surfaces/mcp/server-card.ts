import type { Shop } from '../../platform/compose/shop.ts'
import type { WebPage } from '../http/listener.ts'
import { agentPath } from './endpoint.ts'
import { revisions } from './plain-call.ts'

const cardPath = `${agentPath}/server-card`
const cardType = 'application/mcp-server-card+json'

/** Lets clients find the endpoint: a card beside it, and the catalogue of the site that points to the card. */
export function serverCardPages({ name, title, version, agentSummary }: Shop, baseUrl: string): WebPage[] {
  const { hostname } = new URL(baseUrl)
  const card = {
    name: `${hostname.split('.').reverse().join('.')}/${name}`,
    title,
    description: agentSummary,
    version,
    websiteUrl: baseUrl,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}${agentPath}`,
        supportedProtocolVersions: revisions,
        headers: [{ name: 'X-API-Key', description: 'An API key.', isRequired: true, isSecret: true }],
      },
    ],
  }
  const catalogue = {
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${hostname}:${name}`,
        displayName: card.title,
        type: cardType,
        url: `${baseUrl}${cardPath}`,
      },
    ],
  }
  return [
    servePublic(cardPath, cardType, card),
    servePublic('/.well-known/ai-catalog.json', 'application/ai-catalog+json', catalogue),
  ]
}

function servePublic(path: string, type: string, value: unknown): WebPage {
  const headers = {
    'Content-Type': type,
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'public, max-age=3600',
  }
  return { path, get: () => new Response(`${JSON.stringify(value)}\n`, { headers }) }
}
