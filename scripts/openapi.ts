// Writes openapi.json, the committed description, from the operations, and what the SDK and the command line take from it.
// With --check: only compares it with the operations and the last release. With --release: records it as that of its version.
import { existsSync, readFileSync } from 'node:fs'
import { $ } from 'bun'
import { placeholderUrl } from '../server/src/platform/compose/content.ts'
import { petShop } from '../server/src/shop/index.ts'
import { buildOpenapi } from '../server/src/surfaces/description/openapi.ts'
import { breaksSinceRelease, releaseFile } from './released-description.ts'

const file = 'openapi.json'
const description = `${JSON.stringify(buildOpenapi(petShop, placeholderUrl), null, 2)}\n`
const recorded = releaseFile(petShop.version)

function failIf(...faults: readonly (string | false)[]): void {
  const found = faults.filter(Boolean)
  if (found.length === 0) return
  process.stderr.write(`${found.join('\n')}\n`)
  process.exit(1)
}

if (process.argv.includes('--check')) {
  const isOutdated = readFileSync(file, 'utf8') !== description
  failIf(isOutdated && `${file} is out of date: run npm run openapi.`, breaksSinceRelease(description))
} else if (process.argv.includes('--release')) {
  failIf(existsSync(recorded) && `${petShop.version} is already released.`, breaksSinceRelease(description))
  for (const path of [file, recorded]) await Bun.write(path, description)
} else {
  await Bun.write(file, description)
  await $`bun server/test/surfaces/description/clients/install.ts && bun sdk/generate.ts && bun cli/generate.ts && bun scripts/sdk-methods.ts`
}
