import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, settingNames, showConfig } from '../../src/config.ts'
import { repository } from '../harness/repository-files.ts'
import { newDirectory } from '../harness/scratch.ts'

test('no settings give a valid configuration', () => {
  expect(readConfig({})).toEqual({
    port: 8080,
    host: '127.0.0.1',
    baseUrl: 'http://127.0.0.1:8080',
    databaseUrl: 'sqlite:data/petstore.db',
    databaseDirectUrl: undefined,
    databaseConnectionsMax: undefined,
    databaseGraceSeconds: 30,
    adminApiKey: undefined,
    secretsKeys: [],
    logLevel: 'info',
    logFormat: undefined,
    metricsPort: undefined,
    slowStatementMs: 500,
    traces: undefined,
    trustedProxies: [],
    sampleData: true,
    drainSeconds: 0,
    webhookAllowPrivate: false,
    webhookAttemptsMax: 64,
    eventsKeptDays: 30,
    streamsPerKeyMax: 10,
    heartbeatSeconds: 15,
    securityContact: undefined,
  })
})

test('an empty value counts as not set', () => {
  expect(readConfig({ PORT: '', HOST: '', BASE_URL: '', TRUSTED_PROXIES: '' })).toEqual(readConfig({}))
})

test.each([
  [{ HOST: '0.0.0.0', PORT: '9000' }, 'http://localhost:9000'],
  [{ HOST: '::', PORT: '9000' }, 'http://localhost:9000'],
  [{ HOST: '::1', PORT: '9000' }, 'http://[::1]:9000'],
  [{ BASE_URL: 'https://api.example.com/' }, 'https://api.example.com'],
  [{ BASE_URL: 'https://example.com/shop//' }, 'https://example.com/shop'],
])('%p has the base URL %s', (env, url) => {
  expect(readConfig(env).baseUrl).toBe(url)
})

const faulty: [env: Record<string, string>, sentence: string][] = [
  [{ PORT: '80 80' }, 'PORT is "80 80" but must be a whole number from 0 to 65535.'],
  [{ OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER is "some" but must be one of always_on, always_off,'],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG is "2" but must be a number from 0 to 1.'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'Bearer' }, 'OTEL_EXPORTER_OTLP_HEADERS must be pairs separated by commas'],
  [{ PORT: '65536' }, 'PORT is "65536" but must be a whole number from 0 to 65535.'],
  [{ PORT: '-1' }, 'PORT is "-1" but must be'],
  [{ HOST: 'http://x' }, 'HOST is "http://x" but must be an IP address to listen on, such as 127.0.0.1 or 0.0.0.0.'],
  [{ HOST: '256.1.1.1' }, 'HOST is "256.1.1.1" but must be an IP address to listen on'],
  [{ HOST: '203.0.113.9' }, 'HOST is "203.0.113.9" but must be an IP address of this machine'],
  [{ HOST: '127.0.0.1:80' }, 'HOST is "127.0.0.1:80" but must be an IP address to listen on'],
  [{ DATABASE_URL: 'sqlite::memory:' }, 'DATABASE_URL is "sqlite::memory:" but must be sqlite:<path>'],
  ...[
    'sqlite:',
    'sqlite: ',
    'sqlite::memory:',
    'sqlite::MEMORY:',
    'sqlite:file::memory:',
    'sqlite:file:data/petstore.db',
    'sqlite:FILE:/data/petstore.db?mode=memory',
    'sqlite:data/petstore.db?cache=shared',
    'sqlite://:memory:',
    'sqlite://data/petstore.db',
  ].map((url): [env: Record<string, string>, sentence: string] => [
    { DATABASE_URL: url },
    `DATABASE_URL is "${url}" but must be sqlite:<path>, such as sqlite:data/petstore.db: the path of a file, not memory`,
  ]),
  [{ BASE_URL: 'example.com' }, 'BASE_URL is "example.com" but must be the URL clients use, such as https://'],
  [{ BASE_URL: 'https://a?b' }, 'BASE_URL is "https://a?b" but must be'],
  [{ BASE_URL: 'https://shop@example.com' }, 'BASE_URL must be the URL clients use, such as https://api.example.com.'],
  [{ DATABASE_URL: 'data.db' }, 'DATABASE_URL is "data.db" but must be sqlite:<path>, such as sqlite:data/petstore.db'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL is "mysql://x" but must be'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud" but must be one of debug, info, warn, error, silent.'],
  [{ METRICS_PORT: 'x' }, 'METRICS_PORT is "x" but must be a whole number'],
  [
    { TRUSTED_PROXIES: '10.0.0.0/33' },
    'TRUSTED_PROXIES is "10.0.0.0/33" but must be comma-separated IP addresses or networks',
  ],
  [{ TRUSTED_PROXIES: '10.0.0.1,' }, 'TRUSTED_PROXIES is "10.0.0.1," but must be'],
  [{ DATABASE_CONNECTIONS: '5' }, 'DATABASE_CONNECTIONS is "5" but must be a whole number from 6 to 1000.'],
  [
    { DATABASE_DIRECT_URL: 'sqlite:x.db' },
    'DATABASE_DIRECT_URL is "sqlite:x.db" but must be postgres://user:password@host',
  ],
  [
    { DATABASE_DIRECT_URL: 'postgres://localhost/shop' },
    'DATABASE_DIRECT_URL is set, so DATABASE_URL must be that of a pooler in front of the same PostgreSQL.',
  ],
  [{ DRAIN_SECONDS: '3601' }, 'DRAIN_SECONDS is "3601" but must be a whole number from 0 to 3600.'],
  [{ WEBHOOK_ATTEMPTS: '0' }, 'WEBHOOK_ATTEMPTS is "0" but must be a whole number from 1 to 10000.'],
  [{ EVENTS_KEPT_DAYS: '0' }, 'EVENTS_KEPT_DAYS is "0" but must be a whole number from 1 to 36500.'],
  [
    { SECURITY_CONTACT: 'the porter' },
    'SECURITY_CONTACT is "the porter" but must be a URL that begins with https://, mailto: or tel:, such as mailto:security@example.com.',
  ],
  [{ EVENT_STREAMS_PER_KEY: '0' }, 'EVENT_STREAMS_PER_KEY is "0" but must be a whole number from 1 to 10000.'],
  [{ EVENT_HEARTBEAT_SECONDS: '51' }, 'EVENT_HEARTBEAT_SECONDS is "51" but must be a whole number from 1 to 50.'],
  [{ SAMPLE_DATA: 'yes' }, 'SAMPLE_DATA is "yes" but must be true or false.'],
  [{ SECRETS_KEY: 'too-short' }, 'SECRETS_KEY must be 32 or more letters and digits'],
  [{ ADMIN_API_KEY: 'secret' }, 'ADMIN_API_KEY must be ps_ and 36 characters with a valid checksum; here is a new one'],
]

test.each(faulty)('%p is rejected with a hint', (env, sentence) => {
  expect(() => readConfig(env)).toThrow(sentence)
})

test.each(['data/petstore.db', './shop.db', '/var/lib/petstore/a b.db', 'memory', 'data/file:x'])(
  'sqlite:%s is a file',
  (path) => {
    expect(readConfig({ DATABASE_URL: `sqlite:${path}` }).databaseUrl).toBe(`sqlite:${path}`)
  },
)

test('all faults are reported together', () => {
  const all = Object.assign({}, ...faulty.map(([env]) => env)) as Record<string, string>
  let message = ''
  try {
    readConfig(all)
  } catch (error) {
    message = (error as Error).message
  }
  for (const name of Object.keys(all)) expect(message).toContain(`  ${name}`)
})

test('a wrong key is not printed, and the new one offered instead works', () => {
  let message = ''
  try {
    readConfig({ ADMIN_API_KEY: 'my-secret' })
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).not.toContain('my-secret')
  const fresh = /ps_\w{36}/.exec(message)?.[0] ?? ''
  expect(readConfig({ ADMIN_API_KEY: fresh }).adminApiKey).toBe(fresh)
})

test('a password in a malformed database URL is not printed', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgre://shop:secret@db/shop' })).toThrow(
    /^The configuration is invalid:\n {2}DATABASE_URL must be sqlite:<path>/,
  )
})

test('a secret may be in a file, which takes precedence; one that is missing or empty is reported without the content of others', () => {
  using home = newDirectory()
  const [file, empty] = [join(home.path, 'url'), join(home.path, 'empty')]
  writeFileSync(file, 'postgres://petstore:secret@db/petstore\n')
  writeFileSync(empty, '\n')
  const read = (name: string) => readConfig({ DATABASE_URL: 'sqlite:x.db', DATABASE_URL_FILE: name }).databaseUrl
  expect(read(file)).toBe('postgres://petstore:secret@db/petstore')
  expect(read('')).toBe('sqlite:x.db')
  expect(() => read(empty)).toThrow(`DATABASE_URL_FILE is "${empty}" but that file is empty.`)
  expect(() => read(`${file}s`)).toThrow('but that file cannot be read (ENOENT).')
  expect(() => readConfig({ ADMIN_API_KEY_FILE: file })).toThrow(/^(?!.*secret).*ADMIN_API_KEY must be ps_/s)
})

test('traces have the headers and attributes of the variables, and the log shows no value of a header', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20hidden, X-Team = shop',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=test',
    OTEL_SERVICE_NAME: 'pets',
  }
  const config = readConfig(env)
  expect(config.traces?.headers).toEqual({ Authorization: 'Bearer hidden', 'X-Team': 'shop' })
  expect(config.traces?.resource).toEqual({ 'service.name': 'pets', 'deployment.environment': 'test' })
  expect(showConfig(config).traces).toMatchObject({ headers: ['Authorization', 'X-Team'], ratio: 1 })
})

test('docs/configuration.md lists exactly the settings, with the range of each number', () => {
  const page = readFileSync(join(repository, 'docs/configuration.md'), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `([A-Z_]+)`(?:, `(\1_FILE)`)? \|.*$/gm)].flatMap(([row, ...names]) =>
      names.filter(Boolean).map((name) => [name as string, row]),
    ),
  )
  expect([...rows.keys()].toSorted()).toEqual(settingNames.toSorted())
  const wrong = [...rows].filter(([name, row]) => !row.includes(rangeOf(name)))
  expect(wrong).toEqual([])
})

/** The range of a setting that is a number, as the page shows it; an empty text for another. */
function rangeOf(name: string): string {
  const message = (() => {
    try {
      return readConfig({ [name]: '?' }) && ''
    } catch (error) {
      return String(error)
    }
  })()
  const [, from, to] = /a whole number from (\d+) to (\d+)/.exec(message) ?? []
  return from === undefined ? '' : `${from} to ${Number(to).toLocaleString('en')}`
}
