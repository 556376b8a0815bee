import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'

interface Bundle {
  readonly script: string
  readonly styles: string
  /** Why bundling failed. */
  readonly fault: string
}

const source = `${import.meta.dir}/../../../../console/src`
/** In cascade order: narrow.css comes last, so that it wins on small screens. */
const sheets = [
  'text',
  'controls',
  'frame',
  'lists',
  'pets',
  'cards',
  'overview',
  'events',
  'charts',
  'forms',
  'states',
  'narrow',
]

/**
 * Bundles the console for browsers. Called as a macro, so it runs when the calling file is loaded: at service start, or at
 * compile time for an executable. No request ever waits for it.
 */
export function bundleConsole(): Bundle {
  // A separate process, so that the memory for bundling is freed when it ends.
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [execPath, 'build', `${source}/main.tsx`, '--production', '--target=browser', '--jsx-import-source=preact'],
    { env: { BUN_BE_BUN: '1' } },
  )
  if (exitCode !== 0) return { script: '', styles: '', fault: stderr.toString() }
  const styles = sheets.map((name) => readFileSync(`${source}/styles/${name}.css`, 'utf8')).join('')
  return { script: stdout.toString(), styles, fault: '' }
}
