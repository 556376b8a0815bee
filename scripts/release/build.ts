import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '../packages/executable.ts'
import { thirdPartyNotices } from '../packages/notices.ts'
import { runIn } from '../packages/run.ts'
import { publishedFolders } from './set-repository.ts'

/** Builds the packages, and packs them as npm publishes them. */
export async function packTarballs(root: string, output: string): Promise<void> {
  const run = runIn(root)
  for (const folder of publishedFolders) {
    await run(['bun', join(folder, 'build.ts')])
    await run(['npm', 'pack', '--silent', '--pack-destination', output, `./${folder}/dist`])
  }
}

export async function buildExecutables(root: string, output: string, platforms: readonly Platform[]): Promise<void> {
  for (const platform of platforms) {
    const name = `petstore-${platform}${platform.startsWith('windows') ? '.exe' : ''}`
    await runIn(root)(['bun', 'scripts/compile.ts', join(output, name), platform])
  }
  writeFileSync(join(output, 'THIRD-PARTY-LICENSES'), thirdPartyNotices())
}

/** Writes the Dockerfile of the release: the last stage of ours, with the executable of each processor from the folder itself. */
export function writeImageContext(root: string, output: string): void {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  const image = text.slice(text.lastIndexOf('\nFROM ') + 1)
  const copy = /^COPY --from=build \S+ (\S+)$/m
  if (!copy.test(image)) throw new Error('The last stage of deploy/Dockerfile does not copy the executable.')
  const released = image.replace(copy, `ARG TARGETARCH\nCOPY --chmod=755 petstore-linux-\${TARGETARCH} $1`)
  writeFileSync(join(output, 'Dockerfile'), `# In the folder of the release: docker build -t petstore .\n\n${released}`)
}

/** Writes the section of the changelog, and how to install what is here. */
export function writeNotes(root: string, output: string, version: string): void {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} (`)) ?? ''
  const notes = `${section.slice(section.indexOf('\n')).trim()}

**Install**

\`\`\`sh
npx @petstore/cli@${version} sandbox          # private shops for testing clients, with Node 20 or newer
npm install @petstore/sdk@${version}          # the client library
docker build -t petstore:${version} .         # the image, in a folder with these files
sha256sum --check SHA256SUMS          # the files are complete
\`\`\`
`
  writeFileSync(join(output, 'RELEASE-NOTES.md'), notes)
}

interface Component {
  readonly 'bom-ref': string
  readonly properties?: readonly { name: string }[]
}

interface Sbom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[]
}

/** npm names our own packages after their folders. */
const withName = (component: Component) => ({ ...component, name: component['bom-ref'].replace(/@[^@]+$/, '') })

/** Writes what the service is made of, in CycloneDX. `npm sbom --omit dev` leaves out packages that test tools use too. */
export async function writeSbom(root: string, output: string): Promise<void> {
  const command = ['npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']
  const npm = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const [text, errors] = await Promise.all([npm.stdout.text(), npm.stderr.text()])
  if ((await npm.exited) !== 0) throw new Error(errors)
  const all = JSON.parse(text) as Sbom
  const isForTests = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development')
  const forTests = new Set(all.components.filter(isForTests).map((component) => component['bom-ref']))
  const components = all.components.filter((component) => !forTests.has(component['bom-ref'])).map(withName)
  const metadata = { ...all.metadata, component: withName(all.metadata.component) }
  const dependencies = all.dependencies
    .filter(({ ref }) => !forTests.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !forTests.has(other)) }))
  writeFileSync(
    join(output, 'sbom.cdx.json'),
    `${JSON.stringify({ ...all, metadata, components, dependencies }, null, 2)}\n`,
  )
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
