import { BannedError, type Code, PetStoreError } from '@petstore/sdk'
import { PetFileError } from '@petstore/sdk/pet-files'
import { hrefOf } from './router.ts'

/** An error in plain words, and what to do about it. */
interface Explanation {
  readonly title: string
  readonly text: string
  readonly link?: { readonly href: string; readonly text: string }
  readonly requestId?: string | undefined
}

interface Message {
  readonly title: string
  readonly advice?: string
}

const messages: Partial<Record<Code, Message>> = {
  invalid_api_key: {
    title: 'This key does not work here',
    advice:
      'It is unknown, has expired or was revoked. Ask for a new one, or create one with petstore keys create --admin.',
  },
  missing_api_key: { title: 'An API key is required' },
  insufficient_scope: { title: 'Your key lacks the scope for this', advice: 'Use a key that has it.' },
  precondition_failed: {
    title: 'Someone else changed this',
    advice: 'The current version is loaded. Check it, then save again.',
  },
  pet_has_open_orders: {
    title: 'This pet has open orders',
    advice: 'Complete or cancel them before you delete it.',
  },
  category_in_use: {
    title: 'This category has pets',
    advice: 'Move them to another category or delete them first.',
  },
  invalid_status_transition: {
    title: 'The stock does not allow this status',
    advice: 'Only a pet in stock can be available, and a sold pet cannot become pending. Change the stock first.',
  },
  insufficient_stock: { title: 'Not enough in stock', advice: 'Order fewer, or add stock first.' },
  stock_limit: { title: 'Too many in stock', advice: 'Add fewer, or lower the stock first.' },
  pet_not_available: {
    title: 'This pet cannot be ordered',
    advice: 'Only available pets can be ordered. Set its status to available, or add stock.',
  },
  order_complete: { title: 'This order is completed', advice: 'Completed orders cannot be changed or cancelled.' },
  last_admin_key: {
    title: 'No other key that can manage keys is valid for as long',
    advice: 'Create another one first.',
  },
  unknown_category: { title: 'There is no such category', advice: 'It may just have been deleted. Choose another.' },
  unknown_pet: { title: 'There is no such pet', advice: 'It may just have been deleted. Choose another.' },
  validation_failed: { title: 'Some values are invalid' },
  rate_limited: { title: 'Your key has reached its rate limit' },
  quota_exhausted: { title: 'Your key has used up today’s quota' },
  unavailable: { title: 'The service is unavailable', advice: 'Nothing was changed. Try again in a moment.' },
  outcome_unknown: {
    title: 'It is not known whether this was done',
    advice: 'The service lost its connection to the database meanwhile. Check before you try again.',
  },
  connection_failed: {
    title: 'The service does not respond',
    advice: 'Your input is not lost. Try again in a moment.',
  },
  timed_out: { title: 'The service took too long', advice: 'Your input is not lost. Try again in a moment.' },
  internal_error: {
    title: 'The service failed',
    advice: 'This is a problem with the service. Its log has the details.',
  },
}

/** The item that an error is about, for a link. */
export interface About {
  readonly petId?: number
  readonly categoryId?: number
}

export function explain(error: unknown, about: About = {}): Explanation {
  if (error instanceof BannedError) {
    const until = error.until.toLocaleTimeString()
    return {
      title: 'This key is banned for a while',
      text: `It continued to send requests after being rate limited. It works again at ${until}; a key manager can lift the ban now.`,
      requestId: error.requestId,
    }
  }
  if (error instanceof PetFileError) return { title: 'This file cannot be read', text: error.message }
  if (!(error instanceof PetStoreError)) {
    return {
      title: 'Something went wrong in the console',
      text: error instanceof Error ? error.message : String(error),
    }
  }
  const { title = toSentence(error.code), advice } = messages[error.code] ?? {}
  const link = linkFor(error.code, about)
  // The first sentence says what happened; the rest is advice for programs, which the console replaces with its own. It does not
  // split after a name such as Dr. Who, which is followed by its number.
  const [what = ''] = error.message.split(/(?<=\.) (?=[A-Z])(?!.*\(pet \d+\))/s)
  const text = advice === undefined ? error.message : `${what} ${advice}`
  return { title, text, requestId: error.requestId, ...(link && { link }) }
}

function linkFor(code: Code, { petId, categoryId }: About) {
  if (code === 'pet_has_open_orders' && petId) {
    return { href: hrefOf('/orders', { petId: String(petId), complete: 'false' }), text: 'Show its open orders' }
  }
  if (code === 'category_in_use' && categoryId) {
    return { href: hrefOf('/pets', { categoryId: String(categoryId) }), text: 'Show its pets' }
  }
  if (code === 'invalid_status_transition' && petId) {
    return { href: hrefOf(`/pets/${petId}`), text: 'Change its stock' }
  }
  return undefined
}

const toSentence = (code: string): string => (code.charAt(0).toUpperCase() + code.slice(1)).replaceAll('_', ' ')
