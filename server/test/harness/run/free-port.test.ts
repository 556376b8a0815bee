import { expect, test } from 'bun:test'
import { failureOf } from '../failure-of.ts'
import { onFreePort } from './free-port.ts'

test('what cannot start on a port is started on another one, and after several failures the last error is shown', async () => {
  const tried: number[] = []
  const started = await onFreePort(async (port) => {
    tried.push(port)
    if (tried.length < 3) throw new Error('the port is taken')
    return port
  })
  expect(new Set(tried).size).toBe(3)
  expect(started).toBe(tried[2] as number)
  const failure = await failureOf(onFreePort((port) => Promise.reject(new Error(`cannot start on ${port}`))))
  expect(String(failure)).toContain('cannot start on')
})
