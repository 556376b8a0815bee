import { expect, test } from 'bun:test'
import { ApiError } from '../../src/api/errors.ts'

test('an ApiError has no stack trace, and later errors do', () => {
  expect(new ApiError('route_not_found').stack).toBeUndefined()
  expect(new Error('a bug').stack).toContain('errors.test.ts')
})
