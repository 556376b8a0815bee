import { PetStore, type PetStoreOptions } from '@petstore/sdk'
import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readLogin } from '../login-file.ts'
import type { Terminal } from '../terminal.ts'

const defaultUrl = 'http://127.0.0.1:8080'
const noKey = 'No API key: set PETSTORE_API_KEY or run `petstore login`.'

/** The address of the service: from --url, the environment, the login, or this machine. */
export function serviceUrl({ env }: Terminal, command: Command, read = readLogin): string {
  const { url } = command.optsWithGlobals<{ url?: string }>()
  return checkUrl(url || env.PETSTORE_URL || read(env)?.url || defaultUrl)
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username) return text.replace(/\/+$/, '')
  throw new Failure(
    `"${text}" is not the URL of a service. Set PETSTORE_URL or --url to one, such as https://petstore.example.com.`,
    exitCodes.misused,
  )
}

/** A person waits for the response, so a service that does not respond is reported after a few seconds. */
export const attemptsMax = 4

/** A client with the user's key. A stored key is sent only to the service it was stored for. */
export function connect(terminal: Terminal, command: Command, options: Partial<PetStoreOptions> = {}): PetStore {
  const baseUrl = serviceUrl(terminal, command)
  const { apiKey } = findKey(baseUrl, terminal)
  return new PetStore({ baseUrl, apiKey, attemptsMax, onDeprecated: () => {}, ...options })
}

/** Following events never gives up, so a service that does not respond to begin with is reported before. It costs no request. */
export async function checkThatItResponds(shop: PetStore): Promise<void> {
  await shop.limits.get()
}

/** The key for a service, and where it comes from. */
export function findKey(baseUrl: string, { env }: Terminal): { apiKey: string; source: string } {
  const { PETSTORE_API_KEY: given } = env
  if (given && !/^[\x21-\x7e]+$/.test(given)) {
    throw new Failure(
      'PETSTORE_API_KEY is not an API key: keys contain no spaces or line breaks.',
      exitCodes.notAllowed,
    )
  }
  if (given) return { apiKey: given, source: 'PETSTORE_API_KEY' }
  const login = readLogin(env)
  if (login?.url === baseUrl) return { apiKey: login.apiKey, source: 'petstore login' }
  const elsewhere = login ? ` The stored key is for ${login.url}, not for ${baseUrl}.` : ''
  throw new Failure(noKey + elsewhere, exitCodes.notAllowed)
}
