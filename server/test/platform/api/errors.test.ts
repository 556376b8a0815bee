import { expect, test } from 'bun:test'
import { ApiError, apiErrors, unavailable } from '../../../src/platform/api/errors.ts'

test('an ApiError has no stack trace, and later errors do', () => {
  expect(new ApiError(apiErrors.route_not_found).stack).toBeUndefined()
  expect(new Error('a bug').stack).toContain('errors.test.ts')
})

test('a temporary failure says when to retry, to people and to programs', () => {
  const { advice, more } = unavailable('The service is overloaded.', 3)
  expect([advice, more.headers]).toEqual(['Nothing was done. Retry in 3 s.', { 'Retry-After': '3' }])
})
