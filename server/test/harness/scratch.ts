import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Scratch extends Disposable {
  readonly path: string
  remove(): void
}

/** A new directory, deleted at the end of the block that declares it with `using`. */
export function newDirectory(): Scratch {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, remove, [Symbol.dispose]: remove }
}
