import { expect, test } from 'bun:test'
import { parsePostgresAddress } from '../../../src/platform/db/postgres-address.ts'

const servers = (text: string) => parsePostgresAddress(text)?.servers
const condition = (text: string) => parsePostgresAddress(text)?.isRightServer

test('an address with several hosts becomes one address per host, in the same order', () => {
  expect(servers('postgres://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write')).toEqual([
    'postgres://u:p@h1:5432/db',
    'postgres://u:p@h2:5433/db',
  ])
  expect(servers('postgresql://u:p%40ss@[::1]:5432,[fe80::1]/db?sslmode=require')).toEqual([
    'postgresql://u:p%40ss@[::1]:5432/db?sslmode=require',
    'postgresql://u:p%40ss@[fe80::1]/db?sslmode=require',
  ])
  expect(servers('postgres://h1,h2')).toEqual(['postgres://h1', 'postgres://h2'])
})

test('of several hosts the one that accepts writes is used by default', () => {
  const readWrite = condition('postgres://h/db?target_session_attrs=read-write')
  expect(condition('postgres://h1,h2/db')).toBe(readWrite as string)
  expect(condition('postgres://h1,h2/db?target_session_attrs=any')).toBe('true')
  expect(condition('postgres://h1,h2/db?target_session_attrs=primary')).toContain('pg_is_in_recovery')
  expect(condition('postgres://h/db')).toBe('true')
})

test.each([
  'postgres://',
  'mysql://h/db',
  'postgres://u:p@h1:x,h2/db',
  'postgres://u:p@h1,/db',
  'postgres://h/db?target_session_attrs=standby',
  'postgres://h/db?target_session_attrs=toString',
  'postgres://h/db?sslmode=verify',
])('%s is not a valid address', (text) => {
  expect(parsePostgresAddress(text)).toBe(undefined)
})
