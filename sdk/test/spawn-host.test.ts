import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'

test('without a host it starts one, which ends with the tests', async () => {
  using project = newDirectory()
  const file = join(project.path, 'example.ts')
  const entry = JSON.stringify(join(import.meta.dir, '../src/testing/index.ts'))
  await Bun.write(
    file,
    `const { startSandbox } = await import(${entry})
     const shop = await startSandbox()
     console.log(shop.url, (await shop.client().pets.profile(1)).name)`,
  )
  // From the repository, whose node_modules has the program.
  const child = Bun.spawn([process.execPath, file], { env: { PATH: process.env.PATH ?? '' }, stdout: 'pipe' })
  const [url = '', name] = (await child.stdout.text()).trim().split(' ')
  expect([await child.exited, name]).toEqual([0, 'Rex'])
  const isGone = () =>
    fetch(url).then(
      () => false,
      () => true,
    )
  while (!(await isGone())) await Bun.sleep(20)
})
