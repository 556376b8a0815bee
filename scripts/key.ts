// Makes a key in the database itself, for when every admin key is lost: npm run key
import { parseArgs } from 'node:util'
import { readConfig } from '../server/src/config.ts'
import { showKeyWithSecret } from '../server/src/keys/show.ts'
import { makeKey } from '../server/src/make-key.ts'

const usage = `Usage: npm run key -- [options]
Makes an admin key in the database of DATABASE_URL, whether the service runs or not.
  --name <text>          who or what uses it; Administrator unless given
  --plan <plan>          free, pro, business or enterprise; enterprise unless given
  --preset <preset>      reader, client, staff or admin; admin unless given
  --scopes <scope,…>     its scopes one by one, in place of a preset
  --help                 says this`

const text = { type: 'string' } as const

try {
  const options = { name: text, plan: text, preset: text, scopes: text, help: { type: 'boolean' } } as const
  const { scopes, help, ...wanted } = parseArgs({ options }).values
  if (help) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  const { databaseUrl } = readConfig({ DATABASE_URL: process.env.DATABASE_URL })
  const made = await makeKey(databaseUrl, { ...wanted, scopes: scopes?.split(',') }, Date.now())
  const { id, name, plan, scopes: granted, secret } = showKeyWithSecret(made)
  process.stdout.write(`Key ${id}, "${name}", on the plan ${plan}, may: ${granted.join(', ')}.

Its secret, shown only this once:
  ${secret}
`)
  process.exit(0)
} catch (error) {
  const { message, code } = error instanceof Error ? (error as Error & { code?: string }) : { message: String(error) }
  process.stderr.write(`${message}\n${code?.startsWith('ERR_PARSE_ARGS') ? `\n${usage}\n` : ''}`)
  process.exit(1)
}
