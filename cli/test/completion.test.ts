import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { debianProgram } from '../../server/test/harness/run/debian-program.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { petstore } from './harness/petstore.ts'

/** What bash completes after these words. */
async function complete(script: string, ...words: string[]): Promise<string[]> {
  using home = newDirectory()
  const file = join(home.path, 'completion.bash')
  await Bun.write(file, script)
  const typed = ['petstore', ...words].map((word) => `'${word}'`).join(' ')
  const line = `source ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _petstore; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, exitCode } = Bun.spawnSync(['bash', '-c', line])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout.toString().trim().split('\n')
}

describe('completion', () => {
  test('bash completes commands, subcommands and options', async () => {
    const { code, output } = await petstore(['completion', 'bash'])
    expect(code).toBe(0)
    expect(await complete(output, 're')).toEqual(['restore'])
    expect(await complete(output, 'keys', 'r')).toEqual(['rotate', 'revoke'])
    expect(await complete(output, '--json', 'pets', 'list', '--s')).toEqual(['--status', '--sort'])
    expect(await complete(output, 'pets', 'list', '--js')).toEqual(['--json'])
  })

  test('bash completes the values of options and arguments', async () => {
    const { output } = await petstore(['completion', 'bash'])
    expect(await complete(output, 'pets', 'list', '--status', '')).toEqual(['available', 'pending', 'sold'])
    expect(await complete(output, 'pets', 'list', '--status', 'sold', '--sort', 'n')).toEqual(['name'])
    expect(await complete(output, 'keys', 'create', '--plan', 'b')).toEqual(['business'])
    expect(await complete(output, 'events', 'tail', '--type', 'order.p')).toEqual(['order.placed'])
    expect(await complete(output, 'events', 'tail', '--type', '*')).toEqual(['*'])
    expect(await complete(output, 'completion', 'f')).toEqual(['fish'])
    expect(await complete(output, 'pets', 'list', '--status', 'sold', '--q')).toEqual(['--q'])
  })

  test.each(['zsh', 'fish'])('%s has the same words', async (shell) => {
    const { code, output } = await petstore(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['restore', 'rotate', 'max-quantity', 'available pending sold']) expect(output).toContain(word)
    // If the shell is installed, it must accept the script.
    const path = Bun.which(shell)
    if (path) expect(Bun.spawnSync([path, '-n', '/dev/stdin'], { stdin: new Blob([output]) }).exitCode).toBe(0)
  })

  const fishPath = debianProgram('fish')
  test.if(fishPath !== undefined)('fish, if installed, completes the same, after options too', async () => {
    const { output } = await petstore(['completion', 'fish'])
    const queries = ['petstore keys r', 'petstore --json in', 'petstore pets list --status s'].map(
      (line) => `complete -C '${line}'`,
    )
    const { stdout, stderr } = Bun.spawnSync([fishPath ?? '', '-c', [output, ...queries].join('\n')])
    const words = stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0])
    expect([words, stderr.toString()]).toEqual([['revoke', 'rotate', 'inventory', 'sold'], ''])
  })

  const zshPath = debianProgram('zsh')
  test.if(zshPath !== undefined)('zsh, if installed, completes the same', async () => {
    const { output } = await petstore(['completion', 'zsh'])
    // What its completion system provides; the words that are offered are printed.
    const system = 'compdef() { : }; _files() { : }; compadd() { shift; print -r -- "$*" }'
    const lines = ["petstore pets list --status ''", "petstore --json completion ''"].map(
      (line) => `words=(${line}); CURRENT=$#words; _petstore`,
    )
    const { stdout, stderr } = Bun.spawnSync([zshPath ?? '', '-f', '-c', [system, output, ...lines].join('\n')])
    const [values, shells] = stdout.toString().split('\n')
    expect([values, stderr.toString()]).toEqual(['available pending sold', ''])
    expect(shells).toStartWith('bash zsh fish --')
  })

  test('another shell is rejected', async () => {
    expect((await petstore(['completion', 'tcsh'])).code).toBe(2)
  })
})
