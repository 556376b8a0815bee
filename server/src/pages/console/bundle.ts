import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'

interface Bundle {
  readonly script: string
  readonly styles: string
  /** Why there is none. */
  readonly fault: string
}

const source = `${import.meta.dir}/../../../../console/src`
/** In the order in which they stand: where there is little room, the last word is with narrow.css. */
const sheets = ['text', 'controls', 'frame', 'lists', 'cards', 'charts', 'forms', 'states', 'narrow']

/**
 * The console's code for browsers. Called as a macro: made while the file that calls it is loaded, which is when the service
 * starts, or when it is compiled to an executable, which then carries it. No request ever waits for it.
 */
export function bundleConsole(): Bundle {
  // A process of its own: what bundling needs of memory goes with it.
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [execPath, 'build', `${source}/main.tsx`, '--production', '--target=browser', '--jsx-import-source=preact'],
    { env: { BUN_BE_BUN: '1' } },
  )
  if (exitCode !== 0) return { script: '', styles: '', fault: stderr.toString() }
  const styles = sheets.map((name) => readFileSync(`${source}/styles/${name}.css`, 'utf8')).join('')
  return { script: stdout.toString(), styles, fault: '' }
}
