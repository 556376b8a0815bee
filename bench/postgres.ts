// The PostgreSQL part of the bench. Writes its section of RESULTS.md.
import { measurePostgres } from './postgres-section.ts'
import { replaceSection } from './results.ts'
import { measureScaling } from './scaling.ts'
import { say } from './settings.ts'

const costs = await measurePostgres()
// The second part may find no quiet moment.
replaceSection('PostgreSQL', costs)
say(costs)
const scaling = await measureScaling()
replaceSection('PostgreSQL', `${costs}\n\n${scaling}`)
say(scaling)
