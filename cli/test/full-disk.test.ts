import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { inShell } from './harness/in-shell.ts'
import { startSampleShop } from './harness/sample-shop.ts'

// What is not written is a failure, not a shorter file.

const shop = await startSampleShop()
const home = newDirectory()
afterAll(async () => {
  await shop.stop()
  home.remove()
})

const runIn = (script: string, ...words: string[]) => inShell(script, words, shop.env)

describe('a disk without room for the whole export', () => {
  test('ends an export to a file with an error, and the file does not appear', async () => {
    const file = join(home.path, 'pets.ndjson')
    // A limit on the size of files: like a full disk, it lets the first part of a write through.
    const { code, output, errors } = await runIn('trap "" XFSZ; ulimit -f 2; exec "$@"', 'export', file)
    expect([code, output, existsSync(file)]).toEqual([1, '', false])
    expect(errors).toContain('file too large')
  })

  test.if(existsSync('/dev/full'))('ends an export to standard output with an error', async () => {
    const { code, errors } = await runIn('exec "$@" > /dev/full', 'export')
    expect([code, errors]).toEqual([1, expect.stringContaining('no space left')])
    const json = await runIn('exec "$@" > /dev/full', 'export', '--json')
    expect(JSON.parse(json.errors)).toMatchObject({ code: 'failed', exitCode: 1 })
  })

  test('a reader that stops early is not an error', async () => {
    // The program's exit code goes to standard error, because the exit code of a pipe is that of its reader.
    const { output, errors } = await runIn('{ "$@"; echo "$?" >&2; } | head -n 1', 'export')
    expect([output.split('\n').length, errors]).toEqual([2, '0\n'])
  })
})
