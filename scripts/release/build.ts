import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runIn } from './run.ts'

/** The platforms of the executables. Bun builds for all of them on any of them. */
export const targets: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Packs the SDK and the command line as npm would publish them. */
export async function packTarballs(root: string, output: string): Promise<void> {
  const run = runIn(root)
  await run(['bun', 'sdk/build.ts'])
  for (const folder of ['./sdk/dist', './cli']) {
    await run(['npm', 'pack', '--silent', '--pack-destination', output, folder])
  }
}

export async function buildExecutables(root: string, output: string, wanted: readonly string[]): Promise<void> {
  for (const target of wanted) {
    await runIn(root)(['bun', 'scripts/compile.ts', join(output, `petstore-${target}`), `bun-${target}`])
  }
}

/** Builds the image if there is a Docker; otherwise, and in a dry run, says so. */
export async function buildImage(root: string, version: string, { isDryRun }: { isDryRun: boolean }) {
  if (isDryRun) return `not run: docker build -f deploy/Dockerfile -t petstore:${version} .`
  if (!Bun.which('docker')) return 'not built: there is no Docker here'
  return runIn(root)(['docker', 'build', '-f', 'deploy/Dockerfile', '-t', `petstore:${version}`, '.'])
}

interface Sbom {
  readonly components: readonly { 'bom-ref': string; properties?: readonly { name: string }[] }[]
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[]
}

/** Writes what the service is made of, in CycloneDX. `npm sbom --omit dev` leaves out packages that test tools use too. */
export async function writeSbom(root: string, output: string): Promise<void> {
  const command = ['npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']
  const npm = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const [text, errors] = await Promise.all([npm.stdout.text(), npm.stderr.text()])
  if ((await npm.exited) !== 0) throw new Error(errors)
  const all = JSON.parse(text) as Sbom
  const isForTests = ({ properties = [] }: Sbom['components'][number]) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development')
  const forTests = new Set(all.components.filter(isForTests).map((component) => component['bom-ref']))
  const components = all.components.filter((component) => !forTests.has(component['bom-ref']))
  const dependencies = all.dependencies
    .filter(({ ref }) => !forTests.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !forTests.has(other)) }))
  writeFileSync(join(output, 'sbom.cdx.json'), `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`)
}

/** Writes SHA256SUMS, which `sha256sum --check` reads. */
export function writeChecksums(output: string): void {
  const sums = readdirSync(output)
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(output, file)))
          .digest('hex')}  ${file}\n`,
    )
  writeFileSync(join(output, 'SHA256SUMS'), sums.join(''))
}
