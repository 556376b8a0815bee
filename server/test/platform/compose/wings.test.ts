import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { petShop } from '../../../src/shop/index.ts'
import { findings, readAll } from '../../harness/repository-files.ts'

const all = readAll(join(import.meta.dir, '../../../src'))
const wings = new Map([...all].filter(([file]) => /^(platform|surfaces)\//.test(file)))

test('platform and surfaces import nothing of the shop', () => {
  expect(findings(wings, (_, source) => source.match(/from '[./]+\/shop\/[^']*'/g) ?? [])).toEqual([])
})

test('platform and surfaces name no table of the shop', () => {
  const platform = ['api', 'keys', 'usage', 'feed', 'webhooks']
  const tables = petShop.features
    .filter(({ name }) => !platform.includes(name))
    .flatMap((feature) => feature.tables?.map(({ name }) => name) ?? [])
  expect(tables).toContain('pets')
  const named = new RegExp(
    `\\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\\s+(?:${tables.join('|')})\\b|'(?:${tables.join('|')})'`,
    'g',
  )
  expect(findings(wings, (_, source) => source.match(named) ?? [])).toEqual([])
})
