import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { execPath, pid } from 'node:process'

interface Bundle {
  readonly script: string
  readonly styles: string
  /** Why bundling failed. */
  readonly fault: string
}

const root = `${import.meta.dir}/../../../../..`
const source = `${root}/console/src`
const builtFile = `${root}/console/dist/console.json`

/**
 * Bundles the console for browsers. Called as a macro, so it runs when the calling file is loaded: at service start, or at
 * compile time for an executable. No request ever waits for it. It never throws: the service works without its console.
 */
export function bundleConsole(): Bundle {
  try {
    return { ...findOrBuild(), fault: '' }
  } catch (error) {
    return { script: '', styles: '', fault: String(error) }
  }
}

/** A bundle that was built at an earlier start, and the hash of its inputs: bundling takes a fifth of a start. */
interface Built {
  readonly digest: string
  readonly script: string
  readonly styles: string
}

function findOrBuild(): Built {
  const built = readBuilt()
  const digest = digestSources()
  if (built?.digest === digest) return built
  // In cascade order.
  const sheets: string[] = JSON.parse(readFileSync(`${source}/styles/cascade.json`, 'utf8'))
  const styles = sheets.map((name) => readFileSync(`${source}/styles/${name}.css`, 'utf8')).join('')
  const made = { digest, script: bundleScript(), styles }
  writeBuilt(made)
  return made
}

function bundleScript(): string {
  // A separate process, so that the memory for bundling is freed when it ends.
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [execPath, 'build', `${source}/main.tsx`, '--production', '--target=browser', '--jsx-import-source=preact'],
    { env: { BUN_BE_BUN: '1' } },
  )
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

/** Hash of all bundle inputs. The versions of packages are in the list that npm keeps of what it installed. */
function digestSources(): string {
  const hash = createHash('sha256').update(Bun.version)
  const files = ['console/src', 'sdk/src'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|json|css)$/.test(name))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
  const installed = ['node_modules/.package-lock.json'].filter((file) => existsSync(`${root}/${file}`))
  for (const file of [...installed, ...files]) hash.update(`\n${file}\n`).update(readFileSync(`${root}/${file}`))
  return hash.digest('base64url')
}

function readBuilt(): Built | undefined {
  try {
    return JSON.parse(readFileSync(builtFile, 'utf8'))
  } catch {
    return undefined
  }
}

/** In one step, because another service may start at the same time. Where nothing can be written, the next start bundles again. */
function writeBuilt(built: Built): void {
  try {
    mkdirSync(dirname(builtFile), { recursive: true })
    writeFileSync(`${builtFile}.${pid}`, JSON.stringify(built))
    renameSync(`${builtFile}.${pid}`, builtFile)
  } catch {}
}
