import type { ApiKey, ApiKeyWithSecret, NewApiKey } from '@petstore/sdk'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { parseInteger, parseList } from './options.ts'
import { addResource, type Resource } from './resource.ts'

const formatSecret = ({ id, name, plan, scopes, secret }: ApiKeyWithSecret): string =>
  `Key ${id}, "${name}", plan ${plan}, scopes: ${scopes.join(', ')}.

The secret, shown only once:
  ${secret}
`

const keys: Resource<ApiKey | ApiKeyWithSecret> = {
  name: 'keys',
  description: 'Manage API keys, their scopes and limits.',
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
      description: 'List API keys. Secrets are not shown again.',
      list: (shop, query) => shop.keys.list(query),
      examples: [['petstore keys list', 'list keys']],
    },
    {
      name: 'rotate',
      description: 'Create a new secret for a key. The old one works until the grace period ends.',
      ids: ['key-id'],
      options: [['--grace-seconds <seconds>', 'length of the grace period; one day unless given', parseInteger]],
      run: (shop, fields, keyId = 0) => shop.keys.rotate(keyId, fields),
      format: (key) => formatSecret(key as ApiKeyWithSecret),
      examples: [['petstore keys rotate 3 --grace-seconds 0', 'after the old secret leaked']],
    },
    {
      name: 'revoke',
      description: 'Revoke a key permanently, on every node within a second.',
      ids: ['key-id'],
      remove: (shop, keyId = 0) => shop.keys.revoke(keyId),
      done: 'Revoked.',
      examples: [['petstore keys revoke 3', 'revoke key 3']],
    },
    {
      name: 'unban',
      description: 'Lift the ban of a key.',
      ids: ['key-id'],
      remove: (shop, keyId = 0) => shop.keys.unban(keyId),
      done: 'Ban lifted.',
      examples: [['petstore keys unban 3', 'lift the ban of key 3']],
    },
  ],
}

interface CreateOptions {
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
    .description('Create an API key. With --admin directly in the database, whether or not the service runs.')
    .option(
      '--admin',
      'create it in the database of DATABASE_URL; an administrator’s key unless other options say otherwise',
    )
    .option('--name <name>', 'who or what uses the key')
    .option('--plan <plan>', 'free, pro, business or enterprise')
    .option('--preset <preset>', 'reader, client, staff or admin')
    .option('--scopes <scope,…>', 'scopes, instead of a preset', parseList)
    .option('--per-minute <requests>', 'custom limit, on the plan enterprise', parseInteger)
    .option('--per-day <requests>', 'custom limit, on the plan enterprise', parseInteger)
    .option('--expires-at <time>', 'expiry time, such as 2027-01-01T00:00:00Z')
    .action(async ({ admin, ...fields }: CreateOptions) => {
      const key = admin
        ? await createInDatabase(terminal, fields)
        : await connect(terminal, create).keys.create(toNewKey(fields))
      const { json } = create.optsWithGlobals<{ json?: boolean }>()
      await terminal.write(json ? `${toJson(key, 2)}\n` : formatSecret(key))
    })
  withExamples(
    create,
    ['petstore keys create --admin', 'recover access with the database, after losing every key'],
    [
      'petstore keys create --name App --plan free --preset client',
      'through the service, with a key that manages keys',
    ],
  )
}

function toNewKey({ perMinute, perDay, ...fields }: CreateOptions): NewApiKey & { expiresAt?: string } {
  const hasLimits = perMinute !== undefined || perDay !== undefined
  return { ...fields, ...(hasLimits && { limits: { perMinute, perDay } }) } as NewApiKey & { expiresAt?: string }
}

async function createInDatabase({ env, now }: Terminal, fields: CreateOptions): Promise<ApiKeyWithSecret> {
  const [{ readConfig }, { makeKey }] = await Promise.all([
    import('@petstore/server/config'),
    import('@petstore/server/make-key'),
  ])
  const { databaseUrl } = readConfig({ DATABASE_URL: env.DATABASE_URL })
  return makeKey(databaseUrl, toNewKey(fields), now())
}
