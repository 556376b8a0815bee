import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inChromium, open } from '../../server/test/harness/browser.ts'
import { root, runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { startService } from '../../server/test/harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

inChromium('the shop front lists pets, follows their stock, orders, and shows what a 409 says', async () => {
  const category = (await service.admin.post('/categories', { name: 'Cats' })).body.id
  const rex = (await service.admin.post('/pets', { name: 'Rex', categoryId: category })).body.id
  await service.admin.put(`/store/inventory/${rex}`, { quantity: 2 })
  await using server = runProgram({
    command: [process.execPath, 'examples/shop-front/serve.ts'],
    env: { PORT: '0' },
    readyWhen: /http:\/\/localhost:\d+/,
  })
  await server.ready
  const { page, close } = await open(/http:\/\/localhost:\d+/.exec(server.output())?.[0] ?? '')
  const client = await service.newClient({ preset: 'client' })
  await page.getByLabel('Service').fill(service.url)
  await page.getByLabel('Client key').fill(client.secret ?? '')
  await page.getByRole('button', { name: 'Open the shop' }).click()
  const row = page.locator('li', { hasText: 'Rex' })
  const shows = (text: string) => row.locator('output', { hasText: text }).waitFor()
  await shows('2 in stock')

  await page.getByRole('button', { name: 'Order Rex' }).click()
  await page.getByText(/Order \d+ is placed: Rex is yours\./).waitFor()
  await shows('1 in stock')
  // Another client takes the last one: the page shows it without asking, and an order is rejected.
  await service.admin.post('/store/orders', { petId: rex })
  await shows('pending')
  await page.getByRole('button', { name: 'Order Rex' }).click()
  await page.getByText('(409 pet_not_available)').waitFor()
  await close()
})

test('the supplier import registers new pets, sets the stock of known ones, and a second run changes nothing', async () => {
  using home = newDirectory()
  const file = join(home.path, 'delivery.csv')
  await Bun.write(file, 'name,category,stock\nGoldfish,Fish,40\nGuppy,Fish,60\n,Fish,1\n')
  const importFile = async () => {
    await using running = runProgram({
      command: [process.execPath, join(root, 'examples/supplier-import/import.ts'), file, '--once'],
      env: { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.adminSecret },
      readyWhen: /lines rejected/,
    })
    expect([await running.exited, running.errors()]).toEqual([0, ''])
    return running.output()
  }
  const stocks = async () => {
    const { body } = await service.admin.get('/pets/profiles?q=g')
    return body.map(({ name, stock }: { name: string; stock: number }) => `${name} ${stock}`)
  }
  expect(await importFile()).toMatch(/^line 4: name.*\n0 stock counts set, 2 pets registered, 1 lines rejected\n$/)
  expect(await stocks()).toEqual(['Goldfish 40', 'Guppy 60'])
  await Bun.write(file, 'name,category,stock\nGoldfish,Fish,38\nGuppy,Fish,60\nGoby,Fish,5\n')
  expect(await importFile()).toBe('2 stock counts set, 1 pets registered, 0 lines rejected\n')
  expect(await stocks()).toEqual(['Goldfish 38', 'Guppy 60', 'Goby 5'])
  expect(await importFile()).toBe('3 stock counts set, 0 pets registered, 0 lines rejected\n')
})
