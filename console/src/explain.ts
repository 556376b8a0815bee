import { BannedError, type Code, PetStoreError } from '@petstore/sdk'
import { PetFileError } from '@petstore/sdk/pet-files'
import { hrefOf } from './router.ts'

/** An error in words, and what to do about it. */
interface Explanation {
  readonly title: string
  readonly text: string
  readonly link?: { readonly href: string; readonly text: string }
  readonly requestId?: string | undefined
}

interface Words {
  readonly title: string
  readonly advice?: string
}

const words: Partial<Record<Code, Words>> = {
  invalid_api_key: {
    title: 'This key does not work here',
    advice: 'It is unknown, has expired or was revoked. Ask for a new one, or make one with npm run key.',
  },
  missing_api_key: { title: 'A key is needed' },
  insufficient_scope: { title: 'Your key may not do this', advice: 'Use a key with the scope that it needs.' },
  precondition_failed: {
    title: 'Somebody else was faster',
    advice: 'What it is now is loaded. Look at it, then save again.',
  },
  pet_has_open_orders: {
    title: 'This pet has open orders',
    advice: 'Complete or cancel them first; then it can be deleted.',
  },
  category_in_use: {
    title: 'There are pets in this category',
    advice: 'Move them to another category or delete them first.',
  },
  invalid_status_transition: {
    title: 'The stock does not allow this status',
    advice:
      'A pet is available only while it is in stock, and one that is sold does not become pending. Change the stock first.',
  },
  insufficient_stock: { title: 'Not enough in stock', advice: 'Take fewer, or add to the stock first.' },
  pet_not_available: {
    title: 'This pet cannot be ordered',
    advice: 'Only an available pet can. Set its status to available, or add to its stock.',
  },
  order_complete: { title: 'This order is complete', advice: 'A complete order stays as it is.' },
  last_admin_key: { title: 'This is the last key that manages keys', advice: 'Make another one first.' },
  unknown_category: { title: 'There is no such category', advice: 'It may just have been deleted. Choose another.' },
  unknown_pet: { title: 'There is no such pet', advice: 'It may just have been deleted. Choose another.' },
  validation_failed: { title: 'Something is not right yet' },
  rate_limited: { title: 'The limit of your key is used up for now' },
  quota_exhausted: { title: 'The day’s quota of your key is used up' },
  unavailable: { title: 'The service cannot do this right now', advice: 'Nothing was done. Try again in a moment.' },
  connection_failed: { title: 'The service does not answer', advice: 'What you typed is kept. Try again in a moment.' },
  timed_out: { title: 'The service took too long', advice: 'What you typed is kept. Try again in a moment.' },
  internal_error: { title: 'The service failed', advice: 'That is its fault, not yours. Its log has the reason.' },
}

export function explain(error: unknown, about: { petId?: number; categoryId?: number } = {}): Explanation {
  if (error instanceof BannedError) {
    const until = error.until.toLocaleTimeString()
    return {
      title: 'This key is banned for a while',
      text: `It went on sending after it was told to wait. It works again at ${until}; whoever manages keys can lift the ban at once.`,
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
  const { title = sentence(error.code), advice = '' } = words[error.code] ?? {}
  const link = linkFor(error.code, about)
  return { title, text: `${error.message} ${advice}`.trim(), requestId: error.requestId, ...(link && { link }) }
}

function linkFor(code: Code, { petId, categoryId }: { petId?: number; categoryId?: number }) {
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

const sentence = (code: string): string => (code.charAt(0).toUpperCase() + code.slice(1)).replaceAll('_', ' ')
