import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

const standardInput = '-'

/** What an import reads. */
export interface Source {
  /** Standard input and pipes can be read only once, so their import cannot be resumed. */
  readonly isFile: boolean
  /** The same for the same content; random for what can be read only once. */
  readonly digest: string
  /** In bytes; 0 if unknown. */
  readonly size: number
  read(): AsyncIterable<Uint8Array>
}

export async function openSource(file: string, { stdin }: Terminal): Promise<Source> {
  const once = { isFile: false, digest: randomUUID(), size: 0 }
  if (file === standardInput) return { ...once, read: () => stdin }
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.isDirectory()) {
    const what = found ? `${file} is a directory.` : `There is no file ${file}.`
    throw new Failure(`${what} Name an existing file, or ${standardInput} for standard input.`, exitCodes.misused)
  }
  // Opened when it is read, so that an import that fails before leaves nothing open.
  async function* read() {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  }
  return found.isFile() ? { isFile: true, digest: await digestOf(read()), size: found.size, read } : { ...once, read }
}

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
