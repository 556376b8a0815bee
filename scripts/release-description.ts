// Records the current description as that of its version's release. Later descriptions are compared with it.
import { existsSync } from 'node:fs'
import { currentDescription } from './description.ts'
import { breaksSinceRelease, releaseFile } from './released-description.ts'

const description = currentDescription()
const { version } = JSON.parse(description).info as { version: string }
const fault = existsSync(releaseFile(version)) ? `${version} is already released.` : breaksSinceRelease(description)
if (fault === '') await Bun.write(releaseFile(version), description)
else process.stderr.write(`${fault}\n`)
process.exitCode = fault === '' ? 0 : 1
