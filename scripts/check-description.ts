// Checks openapi.json against the operations and the last release. A separate process, because it computes for seconds while the
// check's process handles the tests' PostgreSQL connections.
import { readFileSync } from 'node:fs'
import { currentDescription } from './description.ts'
import { breaksSinceRelease } from './released-description.ts'

const committed = readFileSync('openapi.json', 'utf8')
const drift = 'openapi.json is out of date: run npm run openapi.'
const faults = [currentDescription() === committed ? '' : drift, breaksSinceRelease(committed)].filter(Boolean)
process.stdout.write(faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
