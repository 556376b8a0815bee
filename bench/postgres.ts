// The PostgreSQL part of the bench. Writes its section of RESULTS.md.
import { measurePostgres } from './postgres-section.ts'
import { replaceSection } from './results.ts'
import { measureScaling } from './scaling.ts'
import { say } from './settings.ts'

const text = `${await measurePostgres()}\n\n${await measureScaling()}`
replaceSection('PostgreSQL', text)
say(text)
