import { afterAll, expect, test } from 'bun:test'
import { openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { ownPlatform, platforms } from '../../scripts/packages/executable.ts'
import { debianProgram, noteMissing } from '../../server/test/harness/run/debian-program.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'

// Executables for other platforms. Their Bun comes from npm, so these tests need a network the first time.

const home = newDirectory()
afterAll(() => home.remove())
const run = (...command: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root })
  return { exitCode, output: stdout.toString().trim(), errors: stderr.toString() }
}
const hasRegistry =
  run('npm', 'view', '--prefer-offline', '--fetch-retries=0', '@oven/bun-linux-x64', 'name').exitCode === 0
if (!hasRegistry) noteMissing('the npm registry')

/** For each platform, how its file format begins, and the bytes at an offset that name the processor. */
const formats: Record<string, { readonly magic: string; readonly at: number; readonly processor: string }> = {
  'linux-amd64': { magic: '7f454c4602', at: 18, processor: '3e00' },
  'linux-arm64': { magic: '7f454c4602', at: 18, processor: 'b700' },
  'darwin-amd64': { magic: 'cffaedfe', at: 4, processor: '07000001' },
  'darwin-arm64': { magic: 'cffaedfe', at: 4, processor: '0c000001' },
  'windows-amd64': { magic: '4d5a', at: -1, processor: '50450000' + '6486' },
}

/** Bytes of a file, as hexadecimal digits. */
function bytesOf(file: string, at: number, count: number): string {
  const bytes = Buffer.alloc(count)
  readSync(openSync(file, 'r'), bytes, 0, count, at)
  return bytes.toString('hex')
}

test.skipIf(!hasRegistry).each(platforms.filter((platform) => platform !== ownPlatform))(
  'the executable for %s is a program of that platform',
  (platform) => {
    const file = join(home.path, `petstore-${platform}${platform.startsWith('windows') ? '.exe' : ''}`)
    expect(run(process.execPath, 'scripts/compile.ts', file, platform)).toMatchObject({ exitCode: 0, errors: '' })
    const { magic, at, processor } = formats[platform] ?? { magic: '', at: 0, processor: '' }
    // On Windows, the offset of the header is stored at 0x3c.
    const place = at < 0 ? Buffer.from(bytesOf(file, 0x3c, 4), 'hex').readUInt32LE() : at
    expect(bytesOf(file, 0, magic.length / 2)).toBe(magic)
    expect(bytesOf(file, place, processor.length / 2)).toBe(processor)
  },
  120_000,
)

const emulator =
  ownPlatform === 'linux-amd64' && hasRegistry
    ? debianProgram('qemu-aarch64', ['qemu-user', 'libc6-arm64-cross'])
    : undefined
test.skipIf(emulator === undefined)('the executable for linux-arm64 starts under an emulator', () => {
  const program = join(home.path, 'petstore-linux-arm64')
  expect(run(emulator ?? '', '-L', '/usr/aarch64-linux-gnu', program, '--version')).toMatchObject({
    exitCode: 0,
    output: '1.0.0',
  })
})

test('for a platform that Bun does not have, the build says which there are', () => {
  const { exitCode, errors } = run(process.execPath, 'scripts/compile.ts', join(home.path, 'none'), 'amiga')
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('Use linux-amd64, linux-arm64, darwin-amd64,')])
})
