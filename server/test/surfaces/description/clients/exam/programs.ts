// The programs that take the exam: clients that others wrote, as their documentation shows them, and our SDK.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { debianProgram, installAndFind, noteMissing } from '../../../../harness/run/debian-program.ts'
import manifest from '../package.json' with { type: 'json' }

/** What each client is: packages of Debian, whose versions are the machine's, or of npm. */
const packages: Readonly<Record<string, readonly string[]>> = {
  requests: ['python3-requests', 'python3-urllib3'],
  'httpx with tenacity': ['python3-httpx', 'python3-tenacity'],
  got: ['got'],
  ky: ['ky'],
  'axios-retry': ['axios', 'axios-retry'],
  ofetch: ['ofetch'],
  'openapi-fetch': ['openapi-fetch'],
  'go-retryablehttp': ['golang-github-hashicorp-go-retryablehttp-dev', 'golang-go'],
  curl: ['curl'],
  'our SDK': [],
}

/** The packages of a client with their versions, as installed. */
export const versionsOf = (name: string): Record<string, string> =>
  Object.fromEntries((packages[name] ?? []).map((each) => [each, npmVersions[each] ?? debianVersion(each)]))

const npmVersions: Readonly<Record<string, string>> = manifest.devDependencies

function debianVersion(name: string): string {
  const { stdout } = spawnSync('dpkg-query', ['-W', name], { encoding: 'utf8' })
  return stdout?.split('\t')[1]?.trim() || 'unknown'
}

const at = (...parts: string[]) => join(import.meta.dir, 'programs', ...parts)

/** A program of Debian that needs other packages too. Undefined if one is missing and cannot be installed. */
function withPackages(program: string, packages: readonly string[], isThere: () => boolean): string | undefined {
  const find = () => (existsSync(program) && isThere() ? program : undefined)
  const found = find() ?? installAndFind(packages, find)
  if (found === undefined) noteMissing(packages.join(', '))
  return found
}

const canImport = (...modules: string[]) =>
  spawnSync('/usr/bin/python3', ['-c', `import ${modules.join(', ')}`]).status === 0
const python = withPackages('/usr/bin/python3', ['python3-requests', 'python3-httpx', 'python3-tenacity'], () =>
  canImport('requests', 'httpx', 'tenacity'),
)

const goSources = '/usr/share/gocode'
const go = withPackages('/usr/bin/go', ['golang-go', 'golang-github-hashicorp-go-retryablehttp-dev'], () =>
  existsSync(join(goSources, 'src/github.com/hashicorp/go-retryablehttp')),
)

/** Compiles the Go client into a directory. Asynchronously: the host of the sandboxes is in this process, and other clients wait for it. */
async function compileGo(directory: string): Promise<string[]> {
  const program = join(directory, 'retryablehttp')
  const compiler = Bun.spawn([go ?? '', 'build', '-o', program, at('retryablehttp/main.go')], {
    env: { ...process.env, GO111MODULE: 'off', GOPATH: goSources, GOCACHE: join(directory, 'cache') },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, status] = await Promise.all([compiler.stderr.text(), compiler.exited])
  if (status !== 0) throw new Error(errors)
  return [program]
}

const curl = debianProgram('curl')
/** Some of them need a newer Node than the service does. */
export const node = join(import.meta.dir, `../node_modules/node-${process.platform}-${process.arch}/bin/node`)
const hasNode = existsSync(node)
if (!hasNode) noteMissing('the Node that npm installs')
const onNode = (file: string) => (hasNode ? () => [node, at(file)] : undefined)
const onPython = (file: string) => (python ? () => [python, at(file)] : undefined)

/** By name, how to start it; undefined if this machine lacks what it needs. The directory is for compiled files. */
export const programs: Readonly<Record<string, ((directory: string) => string[] | Promise<string[]>) | undefined>> = {
  requests: onPython('requests-client.py'),
  'httpx with tenacity': onPython('httpx-client.py'),
  got: onNode('got.mjs'),
  ky: onNode('ky.mjs'),
  'axios-retry': onNode('axios-retry.mjs'),
  ofetch: onNode('ofetch.mjs'),
  'openapi-fetch': onNode('openapi-fetch.mjs'),
  'go-retryablehttp': go ? compileGo : undefined,
  curl: curl ? () => ['sh', at('curl.sh')] : undefined,
  'our SDK': onNode('sdk.mjs'),
}
