// Only the PostgreSQL part of the bench. Writes its section of RESULTS.md. Run: npm run bench:postgres
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measurePostgres } from './postgres-section.ts'
import { replaceSection } from './results.ts'
import { say } from './settings.ts'

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
try {
  const text = await measurePostgres(scratch)
  replaceSection('PostgreSQL', text)
  say(text)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(0)
