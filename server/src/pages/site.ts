import { stringify } from 'yaml'
import type { Database } from '../db/database.ts'
import type { JsonSchema } from '../description/json-schema.ts'
import { openapi31 } from '../description/openapi-3-1.ts'
import type { WebPage } from '../http/listener.ts'
import type { Clock } from '../lib/clock.ts'
import { assetPages } from './assets.ts'
import { consolePages } from './console/pages.ts'
import { createCounts } from './counts.ts'
import { errorPage } from './error-page.ts'
import { fixed } from './fixed.ts'
import { guideValues } from './guide-values.ts'
import { guideIndex, guidePage, guides } from './guides.ts'
import { homePages } from './home.ts'
import type { Place } from './layout.ts'
import { llmsText } from './llms.ts'
import { errorsMarkdown, guideMarkdown, guidesMarkdown, markdownValues } from './markdown-forms.ts'
import { missingPage } from './missing.ts'
import { pagePair } from './page-pair.ts'
import { readDocument } from './reference/document.ts'
import { referenceMarkdown } from './reference/markdown-form.ts'
import { referencePage } from './reference/page.ts'
import { searchIndex } from './search-index.ts'
import { type NodeStatus, statusPages } from './status-page.ts'

interface Parts {
  readonly description: JsonSchema
  readonly db: Database
  readonly clock: Clock
  readonly baseUrl: string
  readonly status: () => Promise<NodeStatus>
}

// Read by YAML 1.1 too, for which an unquoted date is no text.
const yamlForm = { aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

/** What is served with no key, outside the metered interface, and the page for what is not there. */
export function site({ description, db, clock, baseUrl, status }: Parts) {
  const document = readDocument(description)
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  const place: Place = { baseUrl, root, version: document.info.version }
  const values = guideValues(baseUrl, document)
  const plainValues = markdownValues(values, document)
  const llms = () => llmsText(place, document)
  const file = (path: string, type: string, make: () => string): WebPage => ({
    path,
    get: fixed(make, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }),
  })
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const pages: WebPage[] = [
    ...homePages(place, createCounts(db, clock), llms),
    ...pagePair('/docs', {
      page: () => referencePage(place, document),
      markdown: () => referenceMarkdown(place, document),
    }),
    ...pagePair('/docs/guides', { page: () => guideIndex(place), markdown: () => guidesMarkdown(place) }),
    ...guides.flatMap((guide) =>
      pagePair(`/docs/guides/${guide.name}`, {
        page: () => guidePage(place, guide, values),
        markdown: () => guideMarkdown(place, guide, plainValues),
      }),
    ),
    ...pagePair('/errors', { page: () => errorPage(place, document), markdown: () => errorsMarkdown(place) }),
    ...statusPages(place, status),
    file('/docs/search.json', 'application/json', () => searchIndex(document, values)),
    ...consolePages(place),
    file('/openapi.json', 'application/json', () => json(description)),
    file('/openapi.yaml', 'application/yaml', () => stringify(description, yamlForm)),
    file('/openapi-3.1.json', 'application/json', () => json(openapi31(description))),
    file('/llms.txt', 'text/plain; charset=utf-8', llms),
    ...assetPages,
  ]
  return { pages, missing: missingPage(place) }
}
