import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readConfig, settingNames } from '../../src/config.ts'

// These need no container engine: they check the files of deploy/ against each other and the program.

const root = new URL('../../..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const yaml = (path: string) => parse(read(path), { merge: true })
const manifest = (name: string) => yaml(`deploy/kubernetes/${name}.yaml`)

const dockerfile = read('deploy/Dockerfile').replaceAll(/\\\n\s*/g, '')
const instructions = (word: string) =>
  [...dockerfile.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].map((hit) => hit[1] as string)
const imageEnv = Object.fromEntries(
  instructions('ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=') as [string, string])),
)

/** Fills in `${NAME:-default}` and `${NAME:?why}` as compose does. */
const filledIn = (value: string, given: Record<string, string>) =>
  value.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name, otherwise) => given[name] || otherwise || '')

/** Checks that every setting exists and has a valid value. */
function accepted(env: Record<string, string>): void {
  expect(Object.keys(env).filter((name) => !settingNames.includes(name) && !/^(BUN|SQLITE)_/.test(name))).toEqual([])
  readConfig(env)
}

describe('the image', () => {
  test('is pinned, runs without root and gets only files that exist', () => {
    for (const base of instructions('FROM')) expect(base).toMatch(/^[\w./-]+:\d+\.\d+[\w.-]*( AS \w+)?$/)
    expect(instructions('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const sources = instructions('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) {
      expect(existsSync(join(root, source))).toBe(true)
      expect(read('.dockerignore').split('\n')).toContain(`!${source}`)
    }
  })

  test('starts the program with settings it knows', () => {
    accepted(imageEnv)
    expect(instructions('EXPOSE')).toEqual([imageEnv.PORT as string])
    const [, program] = JSON.parse(instructions('CMD').at(-1) ?? '[]')
    expect(existsSync(join(root, program))).toBe(true)
  })

  test('writes to its volume only', () => {
    const [volume] = instructions('VOLUME')
    expect(imageEnv.DATABASE_URL).toStartWith(`sqlite:${volume}/`)
    expect(imageEnv.SQLITE_TMPDIR).toBe(volume as string)
  })
})

describe('the compose file', () => {
  const { services, networks, volumes } = yaml('deploy/compose.yaml')
  const nodes = ['node1', 'node2', 'node3']

  test('has three nodes with settings the program knows', () => {
    for (const name of nodes) {
      const { environment, stop_grace_period } = services[name]
      const given = { POSTGRES_PASSWORD: 'secret' }
      accepted(
        Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filledIn(String(value), given)])),
      )
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(Number(environment.DRAIN_SECONDS) + 10)
      expect(environment.TRUSTED_PROXIES).toBe(networks.inside.ipam.config[0].subnet)
    }
  })

  test('builds the image once for all nodes', () => {
    expect(nodes.filter((name) => services[name].build)).toEqual(['node1'])
    expect(new Set(nodes.map((name) => services[name].image)).size).toBe(1)
  })

  test('starts nodes when PostgreSQL is reachable over the network', () => {
    for (const name of nodes) expect(services[name].depends_on.postgres.condition).toBe('service_healthy')
    expect(services.postgres.healthcheck.test).toContain('--host=127.0.0.1')
  })

  test('has a proxy that drops a stopped node and an idle connection in time', () => {
    const seconds = (name: string) =>
      Number(new RegExp(`^\\s*${name} (\\d+)s$`, 'm').exec(read('deploy/Caddyfile'))?.[1])
    const [, idleSeconds] = /^const idleTimeoutSeconds = (\d+)$/m.exec(read('server/src/http/listener.ts')) ?? []
    expect(seconds('lb_try_duration')).toBeGreaterThan(2 * seconds('dial_timeout'))
    expect(seconds('keepalive')).toBeLessThan(Number(idleSeconds))
  })

  test('has a proxy that lists every node with its port', () => {
    const caddyfile = read('deploy/Caddyfile')
    const [, upstreams] = /^\s*reverse_proxy (.+) \{$/m.exec(caddyfile) ?? []
    expect(upstreams?.split(' ')).toEqual(nodes.map((name) => `${name}:${imageEnv.PORT}`))
    expect(caddyfile).toContain('health_uri /readyz')
    const [, inside] = services.proxy.ports[0].split(':')
    expect(caddyfile).toContain(`\n:${inside} {`)
    expect(Object.keys(services.proxy.depends_on)).toEqual(nodes)
  })

  test('keeps the data in a volume, pins every image and contains no secret', () => {
    expect(Object.keys(volumes)).toContain(services.postgres.volumes[0].split(':')[0])
    for (const { image } of Object.values<{ image: string }>(services)) expect(image).toMatch(/:\d+\.\d+/)
    for (const line of read('deploy/.env.example').split('\n'))
      expect(line).not.toMatch(/^(POSTGRES_PASSWORD|ADMIN_API_KEY)=./)
    expect(read('.gitignore').split('\n')).toContain('.env')
  })
})

describe('the Kubernetes manifests', () => {
  const { spec } = manifest('deployment')
  const pod = spec.template.spec
  const [container] = pod.containers
  const literals: string[] = manifest('kustomization').configMapGenerator[0].literals
  const env = Object.fromEntries(literals.map((line) => line.split('=', 2) as [string, string]))

  test('are all there', () => {
    const { resources } = manifest('kustomization')
    const others = ['kustomization.yaml', 'secret.example.yaml', 'secret.yaml']
    const files = readdirSync(join(root, 'deploy/kubernetes')).filter((name) => !others.includes(name))
    expect([...resources].sort()).toEqual(files.sort())
    expect(read('.gitignore').split('\n')).toContain('secret.yaml')
  })

  test('use settings the program knows', () => {
    const { stringData } = manifest('secret.example')
    accepted({ ...env, ...stringData })
    const names = container.env.map((entry: { name: string }) => entry.name)
    expect(names.filter((name: string) => !settingNames.includes(name))).toEqual([])
    for (const key of Object.keys(stringData)) expect(names).toContain(key)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(env.DRAIN_SECONDS) + 10)
  })

  test('leave spare PostgreSQL connections while pods are replaced', () => {
    const besides = 5 // counters, listening, keys and limits, health
    const usable = 100 - 3 // max_connections unless changed, less those kept for superusers
    // One additional pod is starting, and an old one is draining.
    const pods = manifest('autoscaler').spec.maxReplicas + spec.strategy.rollingUpdate.maxSurge + 1
    expect(pods * (Number(env.DATABASE_CONNECTIONS) + besides)).toBeLessThan(usable)
    expect(spec.minReadySeconds).toBeGreaterThanOrEqual(Number(env.DRAIN_SECONDS) + 10)
  })

  test('agree on ports, labels and names', () => {
    const ports = Object.fromEntries(
      container.ports.map((port: { name: string; containerPort: number }) => [port.name, String(port.containerPort)]),
    )
    expect(ports).toEqual({ http: imageEnv.PORT, metrics: env.METRICS_PORT })
    expect(spec.template.metadata.annotations['prometheus.io/port']).toBe(env.METRICS_PORT)
    expect(manifest('service').spec.ports.map((port: { targetPort: string }) => port.targetPort)).toEqual(['http'])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(container[probe].httpGet.port).toBe('http')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    const labels = spec.template.metadata.labels
    expect(spec.selector.matchLabels).toEqual(labels)
    expect(manifest('service').spec.selector).toEqual(labels)
    expect(manifest('disruption-budget').spec.selector.matchLabels).toEqual(labels)
    expect(manifest('autoscaler').spec.scaleTargetRef.name).toBe(manifest('deployment').metadata.name)
  })

  test('have a migration job with the image of the nodes that gets no requests', () => {
    const { template } = manifest('migrate').spec
    const [migration] = template.spec.containers
    expect(migration.image).toBe(container.image)
    expect(migration.command[0]).toBe('bun')
    const copied = instructions('COPY').map((line) => line.split(' ')[0] as string)
    expect(copied.filter((source) => migration.command[1].startsWith(`${source}/`))).toHaveLength(1)
    expect(existsSync(join(root, migration.command[1]))).toBe(true)
    expect(migration.env).toEqual(container.env.filter(({ name }: { name: string }) => name === 'DATABASE_URL'))
    expect(migration.securityContext).toEqual(container.securityContext)
    expect(template.spec.securityContext).toEqual(pod.securityContext)
    for (const [label, value] of Object.entries(manifest('service').spec.selector))
      expect(template.metadata.labels[label]).not.toBe(value)
    const [, selected] = /apply -k deploy\/kubernetes -l (\S+)/.exec(read('docs/operating.md')) ?? []
    const [label = '', value] = selected?.split('=') ?? []
    expect(manifest('migrate').metadata.labels[label]).toBe(value)
  })

  test('run without root on a read-only file system', () => {
    expect(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`).toBe(instructions('USER').at(-1) ?? '')
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })
})
