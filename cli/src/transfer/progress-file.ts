import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

export const runAgain = 'Run the same command again to continue.'

/** A small file next to the imported or exported one, from which an interrupted command continues. */
export interface ProgressFile<T> {
  read(): T | undefined
  /** Atomic, even if the process is killed. */
  save(progress: T): void
  remove(): void
}

export function progressFile<T>(path: string): ProgressFile<T> {
  const part = `${path}.part`
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as T
      } catch {
        return undefined
      }
    },
    save(progress) {
      writeFileSync(part, `${JSON.stringify(progress)}\n`)
      renameSync(part, path)
    },
    remove() {
      rmSync(path, { force: true })
    },
  }
}
