import { stringify } from 'yaml'
import type { Database } from '../db/database.ts'
import type { JsonSchema } from '../description/json-schema.ts'
import { openapi31 } from '../description/openapi-3-1.ts'
import type { WebPage } from '../http/listener.ts'
import type { Clock } from '../lib/clock.ts'
import { assetPages } from './assets.ts'
import { createCounts } from './counts.ts'
import { errorPage } from './error-page.ts'
import { fixed } from './fixed.ts'
import { guideValues } from './guide-values.ts'
import { guideIndex, guidePage, guides } from './guides.ts'
import { homePage } from './home.ts'
import { type Place, pageHeaders } from './layout.ts'
import { llmsText } from './llms.ts'
import { missingPage } from './missing.ts'
import { readDocument } from './reference/document.ts'
import { referencePage } from './reference/page.ts'
import { searchIndex } from './search-index.ts'

interface Site {
  readonly description: JsonSchema
  readonly db: Database
  readonly clock: Clock
  readonly baseUrl: string
}

// Read by YAML 1.1 too, for which an unquoted date is no text.
const yamlForm = { aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

/** What is served with no key, outside the metered interface. */
export function sitePages({ description, db, clock, baseUrl }: Site): WebPage[] {
  const document = readDocument(description)
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  const place: Place = { baseUrl, root, version: document.info.version }
  const values = guideValues(baseUrl, document)
  const page = (path: string, make: () => string): WebPage => ({ path, get: fixed(make, pageHeaders) })
  const file = (path: string, type: string, make: () => string): WebPage => ({
    path,
    get: fixed(make, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }),
  })
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return [
    homePage(place, createCounts(db, clock)),
    page('/docs', () => referencePage(place, document)),
    page('/docs/guides', () => guideIndex(place)),
    ...guides.map((guide) => page(`/docs/guides/${guide.name}`, () => guidePage(place, guide, values))),
    page('/errors', () => errorPage(place, document)),
    file('/docs/search.json', 'application/json', () => searchIndex(document, values)),
    missingPage(place),
    file('/openapi.json', 'application/json', () => json(description)),
    file('/openapi.yaml', 'application/yaml', () => stringify(description, yamlForm)),
    file('/openapi-3.1.json', 'application/json', () => json(openapi31(description))),
    file('/llms.txt', 'text/plain; charset=utf-8', () => llmsText(place, document)),
    ...assetPages,
  ]
}
