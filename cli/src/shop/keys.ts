import type { ApiKey, ApiKeyWithSecret, NewApiKey } from '@petstore/sdk'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { several, wholeNumber } from './options.ts'
import { addResource, type Resource } from './resource.ts'

const showSecret = ({ id, name, plan, scopes, secret }: ApiKeyWithSecret): string =>
  `Key ${id}, "${name}", on the plan ${plan}, may: ${scopes.join(', ')}.

Its secret, shown only this once:
  ${secret}
`

const keys: Resource<ApiKey | ApiKeyWithSecret> = {
  name: 'keys',
  description: 'API keys: who may call, how much and what.',
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['PREFIX', ({ prefix }) => prefix],
    ['PLAN', ({ plan }) => plan],
    ['LAST USED', ({ lastUsedAt }) => lastUsedAt ?? 'never'],
    ['BANNED UNTIL', ({ ban }) => ban?.until],
    ['SCOPES', ({ scopes }) => scopes.join(' ')],
  ],
  actions: [
    {
      name: 'list',
      description: 'List keys. Secrets are never shown again.',
      list: (shop, query) => shop.keys.list(query),
      examples: [['petstore keys list', 'who has one']],
    },
    {
      name: 'rotate',
      description: 'Give a key a new secret. The old one works on for a while.',
      ids: ['key-id'],
      options: [['--grace-seconds <seconds>', 'how long; a day unless given', wholeNumber]],
      run: (shop, fields, keyId = 0) => shop.keys.rotate(keyId, fields),
      show: (key) => showSecret(key as ApiKeyWithSecret),
      examples: [['petstore keys rotate 3 --grace-seconds 0', 'the old secret has leaked']],
    },
    {
      name: 'revoke',
      description: 'End a key for good, on every node within a second.',
      ids: ['key-id'],
      remove: (shop, keyId = 0) => shop.keys.revoke(keyId),
      done: 'Revoked.',
      examples: [['petstore keys revoke 3', 'it opens nothing any more']],
    },
    {
      name: 'unban',
      description: 'Lift the ban of a key.',
      ids: ['key-id'],
      remove: (shop, keyId = 0) => shop.keys.unban(keyId),
      done: 'The ban is lifted.',
      examples: [['petstore keys unban 3', 'it may call again at once']],
    },
  ],
}

interface Wanted {
  readonly admin?: boolean
  readonly name?: string
  readonly plan?: string
  readonly preset?: string
  readonly scopes?: string[]
  readonly perMinute?: number
  readonly perDay?: number
  readonly expiresAt?: string
}

export function addKeys(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, keys)
  const create = group
    .command('create')
    .description(
      'Make a key. With --admin in the database itself, for whoever owns it, whether the service runs or not.',
    )
    .option('--admin', 'in the database of DATABASE_URL; an administrator’s key unless the rest says otherwise')
    .option('--name <name>', 'who or what uses it')
    .option('--plan <plan>', 'free, pro, business or enterprise')
    .option('--preset <preset>', 'reader, client, staff or admin')
    .option('--scopes <scope,…>', 'its scopes one by one, in place of a preset', several)
    .option('--per-minute <requests>', 'its limit, on the plan enterprise', wholeNumber)
    .option('--per-day <requests>', 'its limit, on the plan enterprise', wholeNumber)
    .option('--expires-at <time>', 'when it ends, such as 2027-01-01T00:00:00Z')
    .action(async ({ admin, ...wanted }: Wanted) => {
      const key = admin
        ? await makeInDatabase(terminal, wanted)
        : await connect(terminal, create).keys.create(asked(wanted))
      const { json } = create.optsWithGlobals<{ json?: boolean }>()
      await terminal.write(json ? `${toJson(key, 2)}\n` : showSecret(key))
    })
  withExamples(
    create,
    ['petstore keys create --admin', 'every key is lost, but the database is yours'],
    ['petstore keys create --name App --plan free --preset client', 'by the service, with a key that manages keys'],
  )
}

function asked({ perMinute, perDay, ...wanted }: Wanted): NewApiKey {
  const hasLimits = perMinute !== undefined || perDay !== undefined
  return { ...wanted, ...(hasLimits && { limits: { perMinute, perDay } }) } as NewApiKey
}

async function makeInDatabase({ env, now }: Terminal, wanted: Wanted): Promise<ApiKeyWithSecret> {
  const [{ readConfig }, { makeKey }] = await Promise.all([
    import('@petstore/server/config'),
    import('@petstore/server/make-key'),
  ])
  const { databaseUrl } = readConfig({ DATABASE_URL: env.DATABASE_URL })
  return makeKey(databaseUrl, asked(wanted), now())
}
