// Moves the service's data from one database to another, empty one: npm run copy -- <from> <to>
import { existsSync } from 'node:fs'
import { readConfig } from '../server/src/config.ts'
import { copy } from '../server/src/db/copy.ts'
import { DatabaseUnavailable } from '../server/src/db/database.ts'
import { openForCommand, sqlitePath } from '../server/src/db/open.ts'

const patienceMs = 24 * 60 * 60 * 1000
const say = (text: string) => process.stdout.write(`${text}\n`)
const open = (url: string) => openForCommand({ url, name: 'petstore-copy', patienceMs })

async function main([fromText, toText, ...more]: string[]): Promise<void> {
  if (!fromText || !toText || more.length > 0) {
    throw new Error(`Usage: npm run copy -- <from> <to>
  each sqlite:<path> or postgres://user:password@host:5432/database
Stop the service first: what it writes while this runs is not copied.`)
  }
  const [fromUrl, toUrl] = [fromText, toText].map((url) => readConfig({ DATABASE_URL: url }).databaseUrl) as [
    string,
    string,
  ]
  const path = sqlitePath(fromUrl)
  if (path !== undefined && !existsSync(path)) throw new Error(`There is no file ${path}.`)
  if (fromUrl === toUrl) throw new Error('Both are the same database.')

  const source = await open(fromUrl)
  const target = await open(toUrl)
  try {
    let sum = 0
    await copy(source, target, Date.now(), (table, rows) => {
      sum += rows
      say(`${table.padEnd(20)} ${rows}`)
    })
    say(`Copied ${sum} rows. Now start the service with the new DATABASE_URL.`)
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

try {
  await main(process.argv.slice(2))
  process.exit(0)
} catch (error) {
  const reason = error instanceof DatabaseUnavailable ? `${error.message}: ${error.cause}` : error
  process.stderr.write(`${reason instanceof Error ? reason.message : reason}\n`)
  process.exit(1)
}
