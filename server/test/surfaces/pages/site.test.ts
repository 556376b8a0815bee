import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { petShop } from '../../../src/shop/index.ts'
import { openapi31 } from '../../../src/surfaces/description/openapi-3-1.ts'
import { descriptionFor } from '../../../src/surfaces/description/served.ts'
import { countMax } from '../../../src/surfaces/pages/figures.ts'
import { readGuides } from '../../../src/surfaces/pages/guides.ts'
import { homePages } from '../../../src/surfaces/pages/home.ts'
import { slug } from '../../../src/surfaces/pages/markdown.ts'
import { readDocument } from '../../../src/surfaces/pages/reference/document.ts'
import { startService, testClock } from '../../harness/service.ts'

const guides = readGuides(petShop.guides).flatMap((part) => part.guides)

const service = await startService()
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' })

test('the home page counts what is there, at most a second late, up to a number that is still cheap', async () => {
  const shop = await startService()
  const counted = async () => {
    const page = await fetch(`${shop.url}/`, { headers: { Accept: 'text/html' } })
    return [...(await page.text()).matchAll(/<dd>(.*?)<\/dd>/g)].map(([, text]) => text)
  }
  expect(await counted()).toEqual(['0', '0'])
  await shop.admin.newPet()
  shop.clock.advance(999)
  expect(await counted()).toEqual(['0', '0'])
  shop.clock.advance(1)
  expect(await counted()).toEqual(['1', '1'])
  const rows = Array(countMax + 1).fill("('Many', 'many')")
  await shop.context.db.transaction((tx) => tx.query(`INSERT INTO categories (name, name_folded) VALUES ${rows}`))
  const pets = Array(countMax + 1).fill(`('Many', 'many', ${await shop.admin.newCategory()}, 'available')`)
  await shop.context.db.transaction((tx) =>
    tx.query(`INSERT INTO pets (name, name_folded, category_id, status) VALUES ${pets}`),
  )
  shop.clock.advance(1_000)
  expect(await counted()).toEqual(['10,000+', '10,000+'])
  await shop.stop()
})

test('the home page is rendered and compressed once, until its figures change', async () => {
  let figures = [{ name: 'pets available', count: 1 }]
  let rendered = 0
  const document = readDocument(descriptionFor(petShop, 'http://petstore.test'))
  const site = { baseUrl: 'http://petstore.test', root: '', shop: petShop, links: [] }
  const countedDocument = () => {
    rendered++
    return document
  }
  // Figures that are read again, and are the same.
  const [home] = homePages(site, countedDocument, async () => [...figures], String)
  const load = async () => await home?.get(new Request('http://petstore.test/'))
  const etag = (await load())?.headers.get('etag')
  expect((await load())?.headers.get('etag')).toBe(etag as string)
  expect(rendered).toBe(1)
  figures = [{ name: 'pets available', count: 2 }]
  expect((await load())?.headers.get('etag')).not.toBe(etag as string)
  expect(rendered).toBe(2)
})

test('every form of the home page is validated and compressed like the other pages', async () => {
  for (const accept of ['text/html', 'application/json', 'text/markdown']) {
    const response = await get('/', { Accept: accept, 'Accept-Encoding': 'br' })
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding')
    const again = await get('/', { Accept: accept, 'If-None-Match': response.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  }
})

test('what is compressed says that it depends on what the client accepts', async () => {
  for (const path of ['/docs', '/docs/guides/limits.md', '/openapi.json', '/llms.txt', '/errors']) {
    const response = await get(path, { 'Accept-Encoding': 'br' })
    expect([path, response.headers.get('content-encoding')]).toEqual([path, 'br'])
    expect([path, response.headers.get('vary')]).toEqual([path, expect.stringContaining('Accept-Encoding')])
  }
})

test('programs get an index whose addresses all respond', async () => {
  for (const accept of ['application/json', 'text/html;q=0.5, application/json', 'application/json, */*']) {
    const response = await get('/', { Accept: accept })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding')
    const index = (await response.json()) as Record<string, string>
    for (const address of Object.values(index).filter((value) => String(value).startsWith('http'))) {
      expect((await get(new URL(address).pathname)).status).toBe(200)
    }
  }
})

test('all other clients get the page', async () => {
  for (const accept of ['text/html', '*/*', 'image/png', 'text/html, application/json', 'application/json;q=0']) {
    expect((await get('/', { Accept: accept })).headers.get('content-type')).toStartWith('text/html')
  }
})

test('the catalogue has an anchor for every code, and error responses point at it', async () => {
  const text = await (await get('/errors')).text()
  for (const { code, status } of petShop.errors) {
    expect(text).toContain(`<h3 id="${code}">`)
    expect(text).toContain(`<a class="status s${String(status).slice(0, 1)}" href="#status-${status}">${status}</a>`)
  }
  const { body } = await service.admin.get('/pets/999/profile')
  expect(body.docs).toBe('http://petstore.test/errors#pet_not_found')
})

test('the navigation marks the section of a page', async () => {
  const sections = { '/docs/guides': 'Guides', '/docs/guides/limits': 'Guides', '/errors': 'Errors', '/': undefined }
  for (const [path, section] of Object.entries(sections)) {
    const [, navigation = ''] = /<nav aria-label="Site">(.*?)<\/nav>/s.exec(await (await get(path)).text()) ?? []
    expect([path, / aria-current="page">(\w+)</.exec(navigation)?.[1]]).toEqual([path, section])
  }
})

test('pages are guarded by their headers', async () => {
  for (const path of ['/', '/docs', '/docs/guides', '/docs/guides/limits', '/docs/none', '/errors', '/status']) {
    const { headers } = await get(path)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  }
})

test('no page has inline scripts or styles', async () => {
  for (const path of ['/', '/docs', '/errors', '/docs/guides/pets-and-stock']) {
    const text = await (await get(path)).text()
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! (?:type="module" )?src="\/assets\/)/)
  }
})

test('no page uses an id twice', async () => {
  for (const path of ['/', '/docs', '/errors', '/docs/guides', ...guides.map(({ name }) => `/docs/guides/${name}`)]) {
    const ids = [...(await (await get(path)).text()).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []])
  }
})

test('assets are cached forever under names that change with their content', async () => {
  const text = await (await get('/docs')).text()
  const paths = [...new Set([...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path))]
  expect(paths).toHaveLength(5)
  const types = await Promise.all(
    paths.map(async (path) => {
      const { status, headers } = await get(path)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      return headers.get('content-type')
    }),
  )
  const script = 'text/javascript; charset=utf-8'
  expect(types.sort()).toEqual(['font/woff2', 'image/svg+xml', 'text/css; charset=utf-8', script, script])
})

test('what the client has is not sent again, and the rest is compressed', async () => {
  for (const path of ['/docs', '/errors', '/openapi.json', '/llms.txt']) {
    const first = await get(path, { 'Accept-Encoding': 'gzip' })
    expect(first.headers.get('content-encoding')).toBe('gzip')
    const smaller = await get(path, { 'Accept-Encoding': 'gzip, deflate, br' })
    expect(smaller.headers.get('content-encoding')).toBe('br')
    expect(await smaller.text()).toBe(await first.clone().text())
    const plain = await get(path, { 'Accept-Encoding': 'identity, gzip;q=0' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await first.text()).toBe(await plain.text())
    const again = await get(path, { 'If-None-Match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  }
})

test('a guide that was renamed leads to the new one', async () => {
  for (const form of ['', '.md']) {
    const moved = await get(`/docs/guides/orders-and-stock${form}`)
    const to = `/docs/guides/pets-and-stock${form}`
    expect([moved.status, moved.headers.get('location')]).toEqual([308, to])
    expect((await get(to)).status).toBe(200)
  }
})

test('HEAD works, other methods are rejected, a slash too many is corrected, an unknown guide is a page', async () => {
  expect((await fetch(`${service.url}/docs`, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${service.url}/docs`, { method: 'POST' })).status).toBe(405)
  const slash = await get('/docs/guides/')
  expect([slash.status, slash.headers.get('location')]).toEqual([308, '/docs/guides'])
  const missing = await get('/docs/guides/none')
  expect(missing.status).toBe(404)
  expect(await missing.text()).toContain('Page not found')
})

test('an address that nothing has is a page in a browser and the Error in a program', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const path of ['/none', '/docs/none', '/errors/none', '/pets/1/none', '/docs/guides/limits.txt']) {
    const page = await get(path, { Accept: browser })
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
    for (const accept of ['*/*', 'application/json', 'text/html;q=0.5, application/json']) {
      const response = await get(path, { Accept: accept })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'route_not_found', status: 404 })
    }
  }
  const posted = await fetch(`${service.url}/none`, { method: 'POST', headers: { Accept: browser } })
  expect(await posted.json()).toMatchObject({ code: 'route_not_found' })
  const long = await get(`/${'x'.repeat(9_000)}`, { Accept: browser })
  expect(await long.json()).toMatchObject({ code: 'uri_too_long' })
})

test('every page has a Markdown form, by its address and by Accept', async () => {
  const paths = [
    '/',
    '/docs',
    '/errors',
    '/status',
    '/docs/guides',
    ...guides.map(({ name }) => `/docs/guides/${name}`),
  ]
  for (const path of paths) {
    const page = await (await get(path)).text()
    const [, alternate = ''] = /<link rel="alternate" type="text\/markdown" href="([^"]*)"/.exec(page) ?? []
    const byAddress = await get(alternate, { Accept: '*/*' })
    const byAccept = await get(path, { Accept: 'text/markdown, text/html;q=0.5' })
    for (const response of [byAddress, byAccept]) {
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/markdown; charset=utf-8',
      ])
      if (path !== '/status') expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect(byAccept.headers.get('vary')).toContain('Accept')
    const text = await byAddress.text()
    expect(text).toBe(await byAccept.text())
    expect(text).toStartWith('# ')
    expect(text).not.toMatch(/<svg|\{\{|\]\(\//)
    if (!path.startsWith('/docs/guides/')) continue
    for (const [, heading = ''] of text.matchAll(/^## (.+)$/gm)) expect(page).toContain(` id="${slug(heading)}"`)
    expect(page).not.toContain('```')
  }
})

test('the reference says which values a field may have, and until when a deprecated operation is available', async () => {
  const text = await (await get('/docs')).text()
  const until = [...text.matchAll(/Deprecated\. Available until <time datetime="(.*?)"/g)].map(([, date]) => date)
  const sunsets = service.contract.operations().map(({ spec }) => spec['x-deprecated-sunset'] as string | undefined)
  expect(until).toEqual(sunsets.filter((date) => date !== undefined))
  expect(until.length).toBeGreaterThan(0)
  expect(text).toContain('One of <code>available</code>, <code>pending</code>, <code>sold</code>.')
})

test('the reference in Markdown has every operation and its samples', async () => {
  const text = await (await get('/docs.md')).text()
  for (const { method, path, spec } of service.contract.operations()) {
    expect(text).toContain(`#### ${spec.summary}\n\n\`${method} ${path}\`\n`)
  }
  for (const start of ['bash\ncurl ', 'javascript\n', 'python\n']) {
    expect(text.split(`\n\`\`\`${start}`)).toHaveLength(service.contract.operations().length + 1)
  }
})

test('the status page shows the state of the node and counts the last minute', async () => {
  const shop = await startService()
  const facts = async () => {
    const page = await fetch(`${shop.url}/status`, { headers: { Accept: 'text/html' } })
    const text = await page.text()
    const found = [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value])
    return { status: page.status, text, facts: Object.fromEntries(found) as Record<string, string> }
  }
  const fresh = await facts()
  expect(fresh.status).toBe(200)
  expect(fresh.text).toContain('The service is up.')
  expect(fresh.facts).toMatchObject({ Version: '1.0.0', 'Running for': '0 s', 'Requests in the last minute': '0' })
  expect(fresh.facts.Database).toMatch(/^(SQLite|PostgreSQL), ok$/)
  expect(fresh.facts.Limits).toMatch(/^counted by (this node|all nodes together)$/)

  await shop.admin.get('/pets')
  await shop.admin.get('/pets/999/profile')
  shop.clock.advance(59_000)
  await shop.as(undefined).get('/pets')
  const later = await facts()
  expect(later.facts).toMatchObject({
    'Running for': '59 s',
    'Requests in the last minute': '3',
    'Rejected (4xx)': '2',
    'Failed (5xx)': '0 (0 %)',
  })
  shop.clock.advance(2_000)
  expect((await facts()).facts['Requests in the last minute']).toBe('1')

  await shop.context.db.transaction((tx) => tx.query('ALTER TABLE pets RENAME TO lost_pets'))
  expect((await fetch(`${shop.url}/pets`, { headers: { 'X-API-Key': shop.adminSecret } })).status).toBe(500)
  expect((await facts()).facts['Failed (5xx)']).toBe('1 (50.00 %)')
  await shop.stop()
})

test('the status page begins when the node started, and tells an hour without requests from one without data', async () => {
  const shop = await startService({ clock: testClock(Date.UTC(2026, 10, 15, 11, 38, 20)) })
  const day = async () => {
    const text = await (await fetch(`${shop.url}/status`, { headers: { Accept: 'text/html' } })).text()
    const rows = [...text.matchAll(/<tr><td>(.*?)<\/td><td>(\d+)<\/td>/g)].map(([, from, requests]) => [from, requests])
    return { text, rows, bars: [...text.matchAll(/class="hour" x="(\d+)"/g)].map(([, x]) => Number(x)) }
  }
  await shop.admin.get('/pets')
  shop.clock.advance(90 * 60_000)
  const fresh = await day()
  expect(fresh.text).toContain(
    '1 requests to this node since 11:38 UTC, 0 of them failed. There is no data from before',
  )
  expect(fresh.rows).toEqual([
    ['13:00', '0'],
    ['12:00', '0'],
    ['11:38', '1'],
  ])
  expect(fresh.bars).toEqual([211, 221, 231])
  expect(await (await fetch(`${shop.url}/status.md`)).text()).toEndWith(
    '| 11:38 | 1 | 0 | 0 |\n| 12:00 | 0 | 0 | 0 |\n| 13:00 | 0 | 0 | 0 |\n',
  )
  shop.clock.advance(24 * 3_600_000)
  const old = await day()
  expect(old.text).toContain('since 14:00 UTC, 0 of them failed.</p>')
  expect([old.rows.length, old.bars.length]).toEqual([24, 24])
  await shop.stop()
})

test('a service below a path links below that path', async () => {
  const below = await startService({ env: { BASE_URL: 'https://example.test/petstore' } })
  for (const path of ['/', '/docs', '/errors', '/docs/guides/deprecation']) {
    const text = await (await fetch(below.url + path, { headers: { Accept: 'text/html' } })).text()
    for (const [, href = ''] of text.matchAll(/<(?:a|link|script|img)\b[^>]*\b(?:href|src)="([^"]*)"/g)) {
      expect(href).toMatch(/^(#|\/petstore\/)/)
    }
  }
  const moved = await fetch(`${below.url}/docs/guides/`, { redirect: 'manual' })
  expect(moved.headers.get('location')).toBe('/petstore/docs/guides')
  for (const path of ['/openapi.json', '/openapi-3.1.json']) {
    const { servers } = (await (await fetch(below.url + path)).json()) as { servers: { url: string }[] }
    expect(servers.map(({ url }) => url)).toEqual(['https://example.test/petstore'])
  }
  expect(await (await fetch(`${below.url}/openapi.yaml`)).text()).toContain('url: https://example.test/petstore\n')
  await below.stop()
})

test('llms.txt names every operation and every guide', async () => {
  const response = await get('/llms.txt')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  for (const { method, path } of service.contract.operations()) expect(text).toContain(`- ${method} ${path}: `)
  expect(text).toContain('/docs/guides/limits')
})

test('the OpenAPI 3.1 document has the same operations and lints clean', async () => {
  const document = (await (await get('/openapi-3.1.json')).json()) as typeof service.contract.description
  expect(document.openapi).toBe('3.1.1')
  expect(Object.keys(document.paths)).toEqual(Object.keys(service.contract.description.paths))
  expect(JSON.stringify(document)).not.toContain('"nullable"')
  expect(document.components.schemas.OrderPatch.properties.shipDate.type).toEqual(['string', 'null'])
  expect(document.components.schemas.PetStatus.examples).toEqual(['available'])

  const directory = mkdtempSync(join(tmpdir(), 'petstore-openapi-'))
  const file = join(directory, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const root = new URL('../../../../', import.meta.url).pathname
  const child = Bun.spawn([`${root}node_modules/.bin/redocly`, 'lint', file], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, faults, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  rmSync(directory, { recursive: true, force: true })
  expect(exitCode === 0 ? '' : output + faults).toBe('')
})

test('the keywords of OpenAPI 3.0 become those of JSON Schema in 3.1', () => {
  const shape = (schema: object) => openapi31({ components: { schemas: { Shape: schema } } }).components
  expect(shape({ type: 'string', enum: ['a'], nullable: true })).toEqual({
    schemas: { Shape: { type: ['string', 'null'], enum: ['a', null] } },
  })
  expect(shape({ nullable: true, allOf: [{ $ref: '#/components/schemas/Other' }] })).toEqual({
    schemas: { Shape: { anyOf: [{ allOf: [{ $ref: '#/components/schemas/Other' }] }, { type: 'null' }] } },
  })
  expect(shape({ type: 'integer', minimum: 0, exclusiveMinimum: true, exclusiveMaximum: false })).toEqual({
    schemas: { Shape: { type: 'integer', exclusiveMinimum: 0 } },
  })
  expect(shape({ type: 'object', properties: { example: { type: 'string', example: 'x' } } })).toEqual({
    schemas: { Shape: { type: 'object', properties: { example: { type: 'string', examples: ['x'] } } } },
  })
})
