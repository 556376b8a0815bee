import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const api = service.admin
const categoryId = await api.newCategory()
const petId = await api.newPet()
const webhook = { url: 'https://shop.example/hooks', events: ['order.*'] }

type Send = (text: string) => ReturnType<typeof api.post>

const names: Record<string, Send> = {
  'a pet': (name) => api.post('/pets', { name, categoryId }),
  'pets of a batch': async (name) => {
    const response = await api.post('/pets/batch', [{ name, categoryId }])
    return { ...response, body: response.body[0] ?? response.body }
  },
  'a changed pet': (name) => api.patch(`/pets/${petId}`, { name }),
  'a category': (name) => api.post('/categories', { name }),
  'a changed category': (name) => api.patch(`/categories/${categoryId}`, { name }),
  'a key': (name) => api.post('/keys', { name, plan: 'free', preset: 'reader' }),
}
const lines: Record<string, Send> = {
  ...names,
  'the reason of an adjustment': (reason) => api.post(`/store/inventory/${petId}/adjustments`, { delta: 1, reason }),
  'a search': (q) => api.get(`/pets?${new URLSearchParams({ q })}`),
}
const descriptions: Record<string, Send> = {
  'a category': (description) => api.post('/categories', { name: 'Dogs', description }),
  'a webhook': (description) => api.post('/webhooks', { ...webhook, description }),
}

const controls = ['\0', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009b']
const invisible = [' ', '\u00a0', '\u200b', '\u202e', '\u2066\u2069', '\u00ad', '\ufeff', '\u3164', '\u2800', '\ufe0f']

test.each(Object.entries(lines))(
  '%s: control characters, and text that shows nothing, are rejected',
  async (_, send) => {
    for (const control of controls) {
      const { status, body } = await send(`Rex${control}`)
      expect([control, status, body.message]).toEqual([control, 400, expect.stringContaining('control characters')])
    }
    for (const text of invisible) {
      const { status, body } = await send(text)
      expect([text, status, body.message]).toEqual([text, 400, expect.stringContaining('a visible character')])
    }
  },
)

test.each(Object.entries(names))('the name of %s loses its outer spaces', async (_, send) => {
  const { status, body } = await send('\u00a0 Łuna the  2nd 👩‍🚒\u3000')
  expect(status).toBeLessThan(300)
  expect(body.name).toBe('Łuna the  2nd 👩‍🚒')
})

test('a name without its outer spaces sorts by its first letter', async () => {
  const category = await api.newCategory()
  for (const name of ['  spaced  ', 'Ace']) await api.post('/pets', { name, categoryId: category })
  const { body } = await api.get(`/pets?categoryId=${category}&sort=name`)
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['Ace', 'spaced'])
})

test.each(Object.entries(descriptions))(
  'the description of %s may have tabs and line feeds, and no other control',
  async (_, send) => {
    expect((await send('one\n\ttwo')).body.description).toBe('one\n\ttwo')
    for (const control of controls.filter((each) => each !== '\t' && each !== '\n')) {
      expect((await send(`one${control}two`)).body.errors).toEqual([
        {
          in: 'body',
          path: '/description',
          message: 'must not contain control characters other than tab and line feed',
        },
      ])
    }
  },
)

test('what the description says about text is what the service does', async () => {
  const { components } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, { properties: Record<string, { pattern: string }> }> }
  }
  const patternOf = (schema: string, field: string) =>
    new RegExp(components.schemas[schema]?.properties[field]?.pattern ?? 'missing', 'u')
  const name = patternOf('NewPet', 'name')
  const description = patternOf('NewCategory', 'description')
  for (const control of controls) expect([control, name.test(`Rex${control}`)]).toEqual([control, false])
  expect([name.test(' '), name.test(' Łuna 👩‍🚒 ')]).toEqual([false, true])
  expect([description.test('one\n\ttwo'), description.test(''), description.test('\u001b')]).toEqual([
    true,
    true,
    false,
  ])
})
