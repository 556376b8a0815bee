// Brings the schema of DATABASE_URL up to this program's version: npm run migrate, or npm run migrate -- --check to see what it would do.
import { readConfig } from '../server/src/config.ts'
import { DatabaseUnavailable } from '../server/src/db/database.ts'
import { migrateCommand } from '../server/src/db/migrate-command.ts'

try {
  const [option, ...more] = process.argv.slice(2)
  const check = option === '--check'
  if ((option !== undefined && !check) || more.length > 0) throw new Error('Usage: npm run migrate [-- --check]')
  const { databaseUrl } = readConfig({ DATABASE_URL: process.env.DATABASE_URL })
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  process.exit(await migrateCommand({ databaseUrl, check, now: Date.now(), say }))
} catch (error) {
  const reason = error instanceof DatabaseUnavailable ? `${error.message}: ${error.cause}` : error
  process.stderr.write(`${reason instanceof Error ? reason.message : reason}\n`)
  // 1 is a check's answer.
  process.exit(2)
}
