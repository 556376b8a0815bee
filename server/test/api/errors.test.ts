import { expect, test } from 'bun:test'
import { ApiError } from '../../src/api/errors.ts'

test('a refusal takes down no trace, and whatever fails after it does', () => {
  expect(new ApiError('route_not_found').stack).toBeUndefined()
  expect(new Error('a fault of ours').stack).toContain('errors.test.ts')
})
