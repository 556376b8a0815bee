import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
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
const cacheFile = `${root}/node_modules/.cache/petstore/console.json`
/**
 * Bundles the console for browsers. Called as a macro, so it runs when the calling file is loaded: at service start, or at
 * compile time for an executable. No request ever waits for it.
 */
export function bundleConsole(): Bundle {
  const digest = digestSources()
  const cached = readCache()
  const sheets: string[] = JSON.parse(readFileSync(`${source}/styles/cascade.json`, 'utf8'))
  const styles = sheets.map((name) => readFileSync(`${source}/styles/${name}.css`, 'utf8')).join('')
  if (cached?.digest === digest) return { script: cached.script, styles, fault: '' }
  // A separate process, so that the memory for bundling is freed when it ends.
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [execPath, 'build', `${source}/main.tsx`, '--production', '--target=browser', '--jsx-import-source=preact'],
    { env: { BUN_BE_BUN: '1' } },
  )
  if (exitCode !== 0) return { script: '', styles: '', fault: stderr.toString() }
  const script = stdout.toString()
  writeCache({ digest, script })
  return { script, styles, fault: '' }
}

/** A script that was bundled at an earlier start, and what it was made of: bundling takes a fifth of a start. */
interface Cached {
  readonly digest: string
  readonly script: string
}

/** Of everything that a bundle is made of. */
function digestSources(): string {
  const hash = createHash('sha256').update(Bun.version)
  const files = ['console/src', 'sdk/src'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|json)$/.test(name))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
  for (const file of ['package-lock.json', ...files]) hash.update(`\n${file}\n`).update(readFileSync(`${root}/${file}`))
  return hash.digest('base64url')
}

function readCache(): Cached | undefined {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'))
  } catch {
    return undefined
  }
}

/** In one step, because another service may start at the same time. Where nothing can be written, the next start bundles again. */
function writeCache(cached: Cached): void {
  try {
    mkdirSync(dirname(cacheFile), { recursive: true })
    writeFileSync(`${cacheFile}.${pid}`, JSON.stringify(cached))
    renameSync(`${cacheFile}.${pid}`, cacheFile)
  } catch {}
}
