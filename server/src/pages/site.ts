import { stringify } from 'yaml'
import type { Database } from '../db/database.ts'
import type { Page } from '../http/mount.ts'

interface Site {
  readonly description: Record<string, unknown>
  readonly db: Database
  readonly baseUrl: string
}

/** What is served with no key, outside the metered interface. */
export function sitePages({ description, baseUrl }: Site): Page[] {
  const json = `${JSON.stringify(description, null, 2)}\n`
  const yaml = stringify(description, { aliasDuplicateObjects: false })
  const text = (body: string, type: string) => () =>
    new Response(body, {
      headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' },
    })
  return [
    { path: '/openapi.json', get: text(json, 'application/json') },
    { path: '/openapi.yaml', get: text(yaml, 'application/yaml') },
    { path: '/', get: text(JSON.stringify(index(baseUrl)), 'application/json') },
  ]
}

const index = (baseUrl: string) => ({
  name: 'Pet Store',
  version: '1.0.0',
  description: `${baseUrl}/openapi.json`,
  health: `${baseUrl}/healthz`,
})
