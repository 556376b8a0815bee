import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ownPlatform } from '../packages/executable.ts'
import { reasonsNotToRelease } from './reasons.ts'
import { parseRepository, publishedFolders, setRepository } from './set-repository.ts'
import { setVersion } from './set-version.ts'

const root = join(import.meta.dir, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const output = join(root, 'dist', version)
const scratch = mkdtempSync(join(tmpdir(), 'petstore-release-test-'))
afterAll(() => {
  for (const path of [output, scratch]) rmSync(path, { recursive: true, force: true })
})

const repositoryUrl = 'https://git.example.com/you/petstore'
const readOutput = (file: string) => readFileSync(join(output, file), 'utf8')
const git = (...words: string[]) => Bun.spawnSync(['git', ...words], { cwd: root }).stdout.toString()
const release = (...words: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'scripts/release.ts', ...words], { cwd: root })
  return { exitCode, output: stdout.toString(), errors: stderr.toString() }
}

test('a dry run builds every file of a release, and leaves the repository as it was', () => {
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')]
  const run = release('--url', repositoryUrl, '--dry-run', '--platform', ownPlatform)
  expect([run.exitCode, run.errors]).toEqual([0, ''])
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')]).toEqual(before)

  const tarballs = publishedFolders.map((folder) => `petstore-${folder}-${version}.tgz`)
  const texts = ['Dockerfile', 'RELEASE-NOTES.md', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json']
  const files = [...tarballs, ...texts, `petstore-${ownPlatform}`]
  expect(readdirSync(output).toSorted()).toEqual(['SHA256SUMS', ...files].toSorted())
  for (const file of files) expect(run.output).toContain(file)
  const sums = Bun.spawnSync(['sha256sum', '--check', '--quiet', 'SHA256SUMS'], { cwd: output })
  expect([sums.exitCode, readOutput('SHA256SUMS').trim().split('\n').length]).toEqual([0, files.length])
  const printed = Bun.spawnSync([join(output, `petstore-${ownPlatform}`), '--version']).stdout.toString()
  expect(printed).toBe(`${version}\n`)

  const sbom = JSON.parse(readOutput('sbom.cdx.json'))
  const names = (sbom.components as { name: string }[]).map(({ name }) => name)
  expect([sbom.bomFormat, sbom.metadata.component.name]).toEqual(['CycloneDX', 'petstore'])
  expect([names.includes('zod'), names.includes('playwright-core')]).toEqual([true, false])
  const withoutNotice = names.filter(
    (name) => !/^(@petstore|@oven)\/|^bun$/.test(name) && !readOutput('THIRD-PARTY-LICENSES').includes(`\n${name} `),
  )
  expect(withoutNotice).toEqual([])
  expect(readOutput('RELEASE-NOTES.md')).toMatch(/^The first release\.\n[\s\S]+npx @petstore\/cli@1\.0\.0 sandbox/)
  expect(readOutput('RELEASE-NOTES.md')).not.toContain('## ')
  const image = readOutput('Dockerfile')
  expect(image.match(/^(FROM|COPY) .*$/gm)).toEqual([
    expect.stringMatching(/^FROM debian:/),
    expect.stringMatching(/^COPY --chmod=755 petstore-linux-\$\{TARGETARCH\} \/usr\/local\/bin\/petstore$/),
  ])
  for (const [at, directory] of publishedFolders.entries()) {
    const { stdout } = Bun.spawnSync(['tar', '-xzOf', join(output, tarballs[at] ?? ''), 'package/package.json'])
    const { repository, private: isPrivate } = JSON.parse(stdout.toString())
    expect([repository, isPrivate]).toEqual([{ type: 'git', url: `git+${repositoryUrl}.git`, directory }, undefined])
  }
}, 180_000)

test('a release is rejected with every reason', async () => {
  expect(release('1.0', '--url', repositoryUrl, '--dry-run').errors).toContain('Give the version as three numbers')
  expect(release(version, '--dry-run').errors).toContain('Give the URL of the repository')
  const unknown = release('--url', repositoryUrl, '--dry-run', '--platform', 'amiga')
  expect(unknown.errors).toContain('There is no platform amiga. Use linux-amd64,')
  expect(release('--url', repositoryUrl, '--fast').errors).toContain("Unknown option '--fast'")
  const repository = join(scratch, 'repository')
  mkdirSync(repository)
  const inRepository = (...words: string[]) => Bun.spawnSync(['git', ...words], { cwd: repository })
  inRepository('init', '--quiet', '--initial-branch', 'work')
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  inRepository(...author, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  inRepository('tag', 'v2.10.0')
  await Bun.write(join(repository, 'CHANGELOG.md'), '## 2.9.0 (2026-01-01)\n')
  expect(await reasonsNotToRelease(repository, '2.9.0', { isDryRun: false })).toEqual([
    'The working tree has changes: commit them first.',
    'The branch is work: switch to main.',
    '2.10.0 is already released.',
    'CHANGELOG.md has no line "## 2.9.0 (unreleased)".',
  ])
})

test('the URL of a repository is read with or without its end, and nothing else is taken for one', () => {
  for (const end of ['', '/', '.git']) expect(parseRepository(repositoryUrl + end)).toBe(repositoryUrl)
  const others = [
    '',
    '--dry-run',
    'petstore',
    'https://git.example.com',
    'https://me:secret@git.example.com/you/petstore',
  ]
  for (const other of [...others, 'git@git.example.com:you/petstore.git', `${repositoryUrl}?tab=readme`])
    expect([other, parseRepository(other)]).toEqual([other, undefined])
})

test('packages name no repository before the first release, and templates and SECURITY.md no address at all', () => {
  const isReleased = readdirSync(join(root, 'docs/releases')).some((file) => file !== 'README.md')
  for (const folder of publishedFolders) {
    const { repository, homepage, bugs } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    expect([repository !== undefined, homepage, bugs]).toEqual([isReleased, undefined, undefined])
  }
  const files = git('ls-files', 'SECURITY.md', 'CODE_OF_CONDUCT.md', '.github').trim().split('\n')
  const urls = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/https?:\/\/[^\s)]+/g) ?? [])
  expect([files.length > 5, urls]).toEqual([true, []])
})

test('the Go module is named after the repository', () => {
  for (const file of ['clients/go/go.mod', ...publishedFolders.map((folder) => `${folder}/package.json`)]) {
    cpSync(join(root, file), join(scratch, 'named', file))
  }
  setRepository(join(scratch, 'named'), repositoryUrl)
  const text = readFileSync(join(scratch, 'named/clients/go/go.mod'), 'utf8')
  expect(text).toMatch(/^module git\.example\.com\/you\/petstore\/clients\/go\n\ngo 1\.19\n$/)
})

test('clients in other languages start the command line of this major version', () => {
  for (const file of ['python/petstore_sandbox/host.py', 'go/sandbox/host.go']) {
    const text = readFileSync(join(root, 'clients', file), 'utf8')
    expect([file, /"@petstore\/cli@(\d+)"/.exec(text)?.[1]]).toEqual([file, version.split('.')[0]])
  }
})

test('the version is written into every file that has it', () => {
  const manifests = ['.', 'server', 'judge', 'sdk', 'cli', 'console'].map((folder) => join(folder, 'package.json'))
  const python = 'clients/python/petstore_sandbox/__init__.py'
  const texts = [
    'sdk/src/version.ts',
    python,
    'action.yml',
    'deploy/compose.yaml',
    'deploy/kubernetes/kustomization.yaml',
  ]
  const files = [...manifests, 'package-lock.json', ...texts]
  for (const file of files) {
    mkdirSync(dirname(join(scratch, file)), { recursive: true })
    cpSync(join(root, file), join(scratch, file))
  }
  const contents = () => files.map((file) => readFileSync(join(scratch, file), 'utf8'))
  const before = contents()
  setVersion(scratch, version)
  expect(contents()).toEqual(before)
  setVersion(scratch, '98.76.54')
  for (const file of files)
    expect([file, readFileSync(join(scratch, file), 'utf8').includes('98.76.54')]).toEqual([file, true])
  for (const file of manifests) {
    const {
      version: own,
      dependencies,
      devDependencies,
      peerDependencies,
    } = JSON.parse(readFileSync(join(scratch, file), 'utf8'))
    const ours = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(([name]) =>
      name.startsWith('@petstore/'),
    )
    expect([file, own, ...ours.map(([, wanted]) => wanted)]).toEqual([file, ...Array(ours.length + 1).fill('98.76.54')])
  }
})
