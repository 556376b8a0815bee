// Only the PostgreSQL part of the bench. Writes its section of RESULTS.md. Run: npm run bench:postgres
import { measurePostgres } from './postgres-section.ts'
import { replaceSection } from './results.ts'
import { say } from './settings.ts'

const text = await measurePostgres()
replaceSection('PostgreSQL', text)
say(text)
process.exit(0)
