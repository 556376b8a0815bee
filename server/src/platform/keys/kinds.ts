import { defineErrors } from '../api/errors.ts'
import { defineEvents } from '../events/types.ts'

export const keyErrors = defineErrors({
  key_not_found: { status: 404, title: 'There is no API key with this id.', advice: 'List the keys to find its id.' },
  last_admin_key: {
    status: 409,
    title: 'No other key with `keys:manage` lasts as long as this one.',
    advice: 'Create another first that lasts at least as long.',
  },
})

export const keyEvents = defineEvents('key', ['created', 'updated', 'rotated', 'revoked', 'banned', 'unbanned'])
