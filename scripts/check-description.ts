// Holds openapi.json to the operations and to the last release. A program of its own: it computes for seconds, and the check's own
// process carries the tests' statements to PostgreSQL meanwhile.
import { readFileSync } from 'node:fs'
import { currentDescription } from './description.ts'
import { breaksSinceRelease } from './released-description.ts'

const committed = readFileSync('openapi.json', 'utf8')
const drift = 'openapi.json is not what the operations say: run npm run openapi.'
const faults = [currentDescription() === committed ? '' : drift, breaksSinceRelease(committed)].filter(Boolean)
process.stdout.write(faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
