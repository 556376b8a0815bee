// Records the description of the operations as that of the release whose version it has. Later ones are compared with it.
import { currentDescription } from './description.ts'
import { breaksSinceRelease, releaseFile } from './released-description.ts'

const description = currentDescription()
const { version } = JSON.parse(description).info as { version: string }
// Recorded, a break would no longer be seen.
const faults = breaksSinceRelease(description, (recorded) => recorded !== version)
if (faults === '') await Bun.write(releaseFile(version), description)
else process.stderr.write(`${faults}\n`)
process.exitCode = faults === '' ? 0 : 1
