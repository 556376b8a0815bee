import { createHmac } from 'node:crypto'
import { type Random, randomBase64 } from '../lib/random.ts'

// Standard Webhooks 1.0: https://www.standardwebhooks.com

const prefix = 'whsec_'
const secretBytes = 32

export const newSigningSecret = (random?: Random): string => prefix + randomBase64(secretBytes, random)

/** One signature per secret: during a rotation there are two, and a receiver may know either secret. */
export function signatures(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
