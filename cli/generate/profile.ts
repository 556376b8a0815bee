import { profileOf } from '../../server/src/sandbox/profile.ts'
import { petShop } from '../../server/src/shop/index.ts'
import type { Description } from './operations.ts'

interface Examples {
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> }
}

/** The profile of this service for `petstore judge`: what its sandboxes judge by, without what only they know. */
export function formatProfile(description: Description & Examples): string {
  const { limits, bans, repeats, errors, conditions, pages, deprecation, credentials } = profileOf(
    petShop.operations,
    '',
  )
  const send = (code: string, status: number) => ({
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '2' },
    body: JSON.stringify(description.components.examples[code]?.value),
  })
  const entries = {
    description: '/openapi.json',
    variables: { PETSTORE_URL: '{url}' },
    credentials: { headers: ['x-api-key', 'authorization'], ...credentials },
    ...{ errors, limits, bans, repeats, conditions, pages, deprecation },
    sends: { limited: send('rate_limited', 429), unavailable: send('unavailable', 503) },
  }
  // A line of JSON is YAML too.
  const lines = Object.entries(entries).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  return `# This service, as its operations are defined: npm run openapi writes it.\n${lines.join('')}`
}
