import { afterAll, expect, test } from 'bun:test'
import { petShop } from '../../../src/shop/index.ts'
import { guideValues } from '../../../src/surfaces/pages/guide-values.ts'
import type { Site } from '../../../src/surfaces/pages/layout.ts'
import { slug } from '../../../src/surfaces/pages/markdown.ts'
import { headersIn, itemOf, operationsIn, readDocument } from '../../../src/surfaces/pages/reference/document.ts'
import { fieldsOf } from '../../../src/surfaces/pages/reference/fields.ts'
import { commonCodes, mediaOf } from '../../../src/surfaces/pages/reference/responses.ts'
import { searchIndex } from '../../../src/surfaces/pages/search-index.ts'
import { startService } from '../../harness/service.ts'

// The pages for agents: Markdown, and what leads to it.

const service = await startService({ env: { BASE_URL: 'http://petstore.test' } })
afterAll(() => service.stop())

const document = readDocument(service.contract.description)
const text = async (path: string) => {
  const response = await fetch(service.url + path)
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}

/** The anchors of a page: those that it sets, and its headings, as renderers name them. */
const anchorsOf = (page: string) =>
  new Set([
    ...[...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id),
    ...[...page.matchAll(/^#{1,4} (.+)$/gm)].flatMap(([, heading = '']) => [slug(heading), heading]),
  ])

test('every link of the Markdown pages leads to a page and an anchor that exist', async () => {
  const pages = new Map<string, string>()
  const waiting = ['/llms.txt', '/index.md'].map((path) => ({ from: '', path, anchor: '' }))
  for (let link = waiting.pop(); link; link = waiting.pop()) {
    const { from, path, anchor } = link
    if (!pages.has(path)) {
      const page = await text(path)
      pages.set(path, page)
      const links = path.endsWith('.md') || path === '/llms.txt' ? page.matchAll(/\]\(([^)\s]+)\)/g) : []
      for (const [, href = ''] of links) {
        const url = new URL(href, `http://petstore.test${path}`)
        if (url.origin === 'http://petstore.test') {
          waiting.push({ from: path, path: url.pathname, anchor: url.hash.slice(1) })
        }
      }
    }
    const isThere = anchor === '' || anchorsOf(pages.get(path) ?? '').has(anchor)
    expect([from, path, anchor, isThere]).toEqual([from, path, anchor, true])
  }
  expect(pages.has('/docs.md')).toBe(true)
})

test('the reference in Markdown has every operation, parameter, response field and header', async () => {
  const page = await text('/docs.md')
  const anchors = anchorsOf(page)
  for (const [name] of headersIn(document)) {
    expect(anchors).toContain(`header-${name.toLowerCase()}`)
  }
  for (const { operationId, parameters, responses } of operationsIn(document)) {
    expect(anchors).toContain(operationId)
    expect(parameters.filter(({ name }) => !page.includes(`- \`${name}\` (`))).toEqual([])
    for (const response of Object.values(responses)) {
      const media = mediaOf(document, response)
      const fields = media ? fieldsOf(document, itemOf(document, media.schema)) : []
      expect(fields.filter(({ name }) => !page.includes(`- \`${name}\` (`))).toEqual([])
    }
  }
})

test('a response lists its own headers, and those of every response are listed once', async () => {
  const lists = (await text('/docs.md')).match(/^Headers: .*$/gm) ?? []
  expect(lists).toContain(
    'Headers: [`ETag`](#header-etag), [`Location`](#header-location), [`Idempotent-Replayed`](#header-idempotent-replayed).',
  )
  expect(lists.filter((list) => /X-Request-Id|RateLimit/.test(list))).toEqual([])
})

test('the errors of nearly every operation are listed once, the others with their operations', async () => {
  const common = commonCodes(document, operationsIn(document), { shop: petShop } as Site)
  for (const code of ['rate_limited', 'missing_api_key', 'unavailable']) expect(common).toContain(code)
  expect(common).not.toContain('pet_not_found')
  const [, listed = ''] = (await text('/docs.md')).split('## Common errors')
  expect(common.filter((code) => !listed.includes(`/errors.md#${code})`))).toEqual([])
})

test('a search finds a field once for each schema, not for each operation that returns it', () => {
  const index = JSON.parse(
    searchIndex(document, petShop.errors, [], guideValues(petShop, 'http://petstore.test', document)),
  ) as {
    readonly kind: string
    readonly title: string
    readonly about: string
  }[]
  const found = (field: string) => index.filter(({ kind, title }) => kind === 'field' && title === field)
  expect(found('placedAt').map(({ about }) => about)).toEqual(['response · List orders'])
  expect(found('shipDate').map(({ about }) => about)).toEqual([
    'response · List orders',
    'body · Place an order',
    'body · Change or complete an open order',
  ])
})

test('llms-full.txt has the whole text of every page that llms.txt names', async () => {
  const [short, full] = [await text('/llms.txt'), await text('/llms-full.txt')]
  const paths = [...short.matchAll(/\]\(http:\/\/petstore\.test(\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  expect(paths).toContain('/docs/guides/quickstart.md')
  // The set-up block is there once, before the first page that has it.
  const setup = petShop.guides?.values('http://petstore.test').setup ?? ''
  expect(full.split(setup)).toHaveLength(2)
  const withoutSetup = full.replace(`${setup}\n\n`, '')
  for (const path of new Set(paths)) {
    expect([path, withoutSetup.includes((await text(path)).replace(`${setup}\n\n`, ''))]).toEqual([path, true])
  }
})

test('llms.txt names the SDK, the limit headers and how to retry', async () => {
  const page = await text('/llms.txt')
  for (const name of ['@petstore/sdk', 'X-RateLimit-Remaining', 'Retry-After', 'Idempotency-Key', 'If-Match']) {
    expect(page).toContain(name)
  }
})

/** The words of a page in HTML or Markdown, without markup, code and addresses. */
const wordsOf = (page: string) =>
  page
    .replace(/<pre\b[\s\S]*?<\/pre>|```[\s\S]*?```/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/<\/?[a-z]\w*(?: [^>]*)?>|\]\([^)]*\)|[`*[\]#|]/g, ' ')
    .replace(/\s+([.,:;)])/g, '$1')
    .replace(/\s+/g, ' ')

test('the error catalogue says in Markdown what it says in HTML', async () => {
  const [page, markdown] = [await text('/errors'), wordsOf(await text('/errors.md'))]
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(page) ?? []
  const paragraphs = [...main.matchAll(/<p\b(?! class="nothing")[^>]*>([\s\S]*?)<\/p>/g)].map(([, each = '']) =>
    wordsOf(each).trim(),
  )
  expect(paragraphs.length).toBeGreaterThan(petShop.errors.length * 2)
  expect(paragraphs.filter((paragraph) => !markdown.includes(paragraph))).toEqual([])
  const bodies = (source: string) => source.split('"requestId"').length
  expect(bodies(await text('/errors.md'))).toBe(bodies(main.replaceAll('&quot;', '"').replace(/<\/?span[^>]*>/g, '')))
})

test('the reference says in Markdown what it says of groups, errors and headers in HTML', async () => {
  const [page, markdown] = [await text('/docs'), wordsOf(await text('/docs.md'))]
  const leads = [...page.matchAll(/<p class="lead">([\s\S]*?)<\/p>/g)].map(([, each = '']) => wordsOf(each).trim())
  const missing = leads.filter((lead) => !markdown.includes(lead))
  // What only a page has: downloads, and tabs.
  expect(missing.filter((lead) => !/^Import the API|tabs next to it/.test(lead))).toEqual([])
  expect(leads.length).toBeGreaterThan(document.tags.length)
})

test('a guide that names an operation which is not stable says so', async () => {
  for (const { operationId, method, path, 'x-stability': stability } of operationsIn(document)) {
    if (stability === undefined) continue
    const pages = [
      ...(await text('/llms.txt')).matchAll(/(\/docs\/guides\/(?!changelog|deprecation|sdk-methods)[\w-]+\.md)/g),
    ]
    for (const [, guide = ''] of pages) {
      const named = (await text(guide)).split(`\`${method} ${path}`)
      if (named.length > 1)
        expect([guide, operationId, named[1]?.includes(stability)]).toEqual([guide, operationId, true])
    }
  }
})

/** What people look for, the page that answers it, and words of the answer. */
const jobs: readonly [job: string, page: string, answer: string][] = [
  ['create a key for an application', 'docs/guides/keys', '"preset":"client"'],
  ['read a whole list', 'docs/guides/pagination', 'rel="next"'],
  ['send an order twice without ordering twice', 'docs/guides/idempotent-retries', 'Idempotent-Replayed: true'],
  ['know how long to wait after a 429', 'docs/guides/limits', '`Retry-After` in whole seconds'],
  ['edit without overwriting others', 'docs/guides/conditional-requests', 'HTTP/1.1 412 Precondition Failed'],
  ['verify a webhook', 'docs/guides/webhooks', 'HMAC-SHA256 of `id.timestamp.body`'],
  ['know what insufficient_stock means', 'errors', '### insufficient_stock'],
  ['test what happens if a response is lost', 'docs/guides/testing', '`cut_after`: done, but the response is lost'],
  ['find the fields of an order', 'docs', '### PlacedOrder'],
  ['restore a backup', 'docs/guides/backup', 'petstore restore'],
  ['find out why a key is banned', 'docs/guides/monitor', 'petstore usage --key-id'],
]

test.each(jobs)('from /llms.txt, two links at most lead to: %s', async (_, page, answer) => {
  const linksIn = async (path: string) =>
    [...(await text(path)).matchAll(/\]\(http:\/\/petstore\.test(\/[^)#]+\.md)/g)].map(([, to = '']) => to)
  const near = await linksIn('/llms.txt')
  const far = near.includes(`/${page}.md`) ? [] : (await Promise.all([...new Set(near)].map(linksIn))).flat()
  expect([...near, ...far]).toContain(`/${page}.md`)
  expect(await text(`/${page}.md`)).toContain(answer)
})
