import type { ApiKey, ApiKeyWithSecret, NewApiKey } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls, operationOf } from '../calls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect } from './connect.ts'
import { addOptions, type FieldOption, readFields } from './fields.ts'
import { parseInteger, parseList, parseOrNone } from './options.ts'
import { addResource, type Resource } from './resource.ts'
import { formatSecret, outputOf, printResponse } from './show.ts'

const fields: readonly FieldOption[] = [
  ['--name <name>', 'who or what uses the key'],
  ['--plan <plan>', 'the plan'],
  ['--preset <preset>', 'a predefined set of scopes'],
  ['--scopes <scope,…>', 'scopes, instead of a preset', parseList],
  ['--per-minute <requests>', 'custom limit, on the enterprise plan', parseInteger, 'limits.perMinute'],
  ['--per-day <requests>', 'custom limit, on the enterprise plan', parseInteger, 'limits.perDay'],
]

const keys: Resource<ApiKey> = {
  name: 'keys',
  description: 'Manage API keys, their scopes and limits.',
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['PREFIX', ({ prefix }) => prefix],
    ['PLAN', ({ plan }) => plan],
    ['LAST USED', ({ lastUsedAt }) => lastUsedAt ?? 'never'],
    ['BANNED UNTIL', ({ ban }) => ban?.until],
    ['REVOKED', ({ revokedAt }) => revokedAt],
    ['SCOPES', ({ scopes }) => scopes.join(' ')],
  ],
  actions: [
    {
      name: 'list',
      description: 'List API keys. Secrets are not shown again.',
      operation: 'listKeys',
      options: [
        ['--q <text>', 'only names that contain this'],
        ['--revoked', 'revoked keys instead of the others'],
        ['--sort <order>', 'the order'],
      ],
      list: (shop, { fields }) => shop.keys.list(fields),
      examples: [['petstore keys list', 'list keys']],
    },
    {
      name: 'get',
      description: 'Show an API key.',
      operation: 'getKey',
      ids: ['key-id'],
      run: (shop, { id }) => shop.keys.get(id),
      examples: [['petstore keys get 3', 'key 3']],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      operation: 'updateKey',
      ids: ['key-id'],
      options: [...fields, ['--expires-at <time>', 'expiry time; none for no expiry', parseOrNone]],
      run: (shop, { id, fields, ifMatch }) => shop.keys.update(id, fields, { ifMatch }),
      examples: [['petstore keys update 3 --plan pro', 'move it to another plan']],
    },
    {
      name: 'rotate',
      description: 'Create a new secret for a key. The old one works until the grace period ends.',
      operation: 'rotateKey',
      ids: ['key-id'],
      options: [['--grace-seconds <seconds>', 'length of the grace period; one day unless given', parseInteger]],
      run: (shop, { id, fields, ifMatch }) => shop.keys.rotate(id, fields, { ifMatch }),
      footer: formatSecret,
      examples: [['petstore keys rotate 3 --grace-seconds 0', 'after the old secret leaked']],
    },
    {
      name: 'revoke',
      description: 'Revoke a key permanently, on every node within a second.',
      operation: 'revokeKey',
      also: ['getKey'],
      ids: ['key-id'],
      remove: (shop, { id, ifMatch }) => shop.keys.revoke(id, { ifMatch }),
      done: 'Revoked.',
      loss: { verb: 'Revoke', one: 'key', several: 'keys', read: (shop, id) => shop.keys.get(id) },
      examples: [['petstore keys revoke 3', 'revoke key 3']],
    },
    {
      name: 'unban',
      description: 'Lift the ban on a key.',
      operation: 'unbanKey',
      ids: ['key-id'],
      remove: (shop, { id, ifMatch }) => shop.keys.unban(id, { ifMatch }),
      done: 'Ban lifted.',
      examples: [['petstore keys unban 3', 'lift the ban on key 3']],
    },
  ],
}

const newKey = operationOf('createKey')
const newKeyFields: readonly FieldOption[] = [
  ...fields,
  ['--expires-at <time>', 'expiry time, such as 2027-01-01T00:00:00Z'],
]

export function addKeys(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, keys)
  const create = declareCalls(group.command('create'), 'createKey')
    .description(
      'Create an API key: through the service, with --preset or --scopes, or with --admin directly in the database, whether or not the service runs.',
    )
    .option(
      '--admin',
      'create it in the database of DATABASE_URL; an administrator’s key unless other options say otherwise',
    )
    .action(async ({ admin = false }: { admin?: boolean }) => {
      // In the database every field has a default.
      const key = admin
        ? await createInDatabase(terminal, readFields(create, { inputs: {} }, newKeyFields))
        : await createInService(terminal, create)
      const output = { ...outputOf(terminal, create), columns: keys.columns }
      await printResponse(key, () => [key], output)
      if (!output.json) await terminal.write(formatSecret(key))
    })
  addOptions(create, newKey, newKeyFields, 'required without --admin')
  withExamples(
    create,
    ['petstore keys create --admin', 'recover access with the database, after losing every key'],
    [
      'petstore keys create --name App --plan free --preset client',
      'through the service, with a key that manages keys',
    ],
  )
}

function createInService(terminal: Terminal, create: Command): Promise<ApiKeyWithSecret> {
  const fields = readFields(create, newKey, newKeyFields)
  if (!fields.preset && !fields.scopes) create.error('error: Missing --preset or --scopes')
  return connect(terminal, create).keys.create(fields as NewApiKey)
}

async function createInDatabase({ env, now }: Terminal, fields: object): Promise<ApiKeyWithSecret> {
  const [{ readDatabaseUrl }, { makeKey }] = await Promise.all([
    import('@petstore/server/config'),
    import('@petstore/server/make-key'),
  ])
  const databaseUrl = readDatabaseUrl(env)
  return (await makeKey(databaseUrl, fields as never, now())) as ApiKeyWithSecret
}
