import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, settingNames } from '../../src/config.ts'
import { findUrlFault } from '../../src/platform/webhooks/url.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { debianPostgres } from '../harness/run/test-postgres.ts'
import { newDirectory } from '../harness/scratch.ts'

// These need no container engine: they check the files of deploy/ against each other and the program.

const root = new URL('../../..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const yaml = (path: string) => parse(read(path), { merge: true })
const manifest = (name: string) => yaml(`deploy/kubernetes/${name}.yaml`)
const manifests = (name: string) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => document.toJS())

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
  test('is pinned, runs without root and is built from files that exist', () => {
    const bases = instructions('FROM').map((line) => line.split(' AS ') as [string, string?])
    const stages = bases.map(([, name]) => name)
    for (const [base] of bases.filter(([base]) => !stages.includes(base)))
      expect(base).toMatch(/^[\w./-]+:\d+\.\d+[\w.-]*$/)
    expect(instructions('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const [nothing, ...sources] = read('.dockerignore').trim().split('\n')
    expect(nothing).toBe('*')
    for (const source of sources) {
      const path = source.slice(1).replace('/*.md', '')
      expect([source, source.startsWith('!') && existsSync(join(root, path))]).toEqual([source, true])
    }
  })

  test('starts the program with settings it knows', () => {
    accepted(imageEnv)
    expect(instructions('EXPOSE')).toEqual([imageEnv.PORT as string])
    expect(JSON.parse(instructions('CMD').at(-1) ?? '[]')).toEqual(['petstore', 'serve'])
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
    const [, idleSeconds] =
      /^const idleTimeoutSeconds = (\d+)$/m.exec(read('server/src/surfaces/http/listener.ts')) ?? []
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

  test('sets only settings that PostgreSQL has', () => {
    const [program, ...settings] = services.postgres.command as string[]
    expect([program, settings.length > 5]).toEqual(['postgres', true])
    const programs = debianPostgres()
    if (programs === undefined) return
    const { stdout } = spawnSync(join(programs, 'postgres'), ['--describe-config'], { encoding: 'utf8' })
    const known = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(settings.filter((setting) => !known.includes(/^-c(\w+)=\w/.exec(setting)?.[1]))).toEqual([])
  })

  test('keeps the data in a volume, pins every image and contains no secret', () => {
    expect(Object.keys(volumes)).toContain(services.postgres.volumes[0].split(':')[0])
    for (const { image } of Object.values<{ image: string }>(services)) expect(image).toMatch(/:\d+\.\d+/)
    for (const line of read('deploy/.env.example').split('\n'))
      expect(line).not.toMatch(/^(POSTGRES_PASSWORD|ADMIN_API_KEY|SECRETS_KEY)=./)
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
    const files = readdirSync(join(root, 'deploy/kubernetes')).filter(
      (name) => name.endsWith('.yaml') && !others.includes(name),
    )
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
    const usable = 100 - 3 // max_connections unless changed, less those kept for superusers
    // One additional pod is starting, and an old one is draining.
    const pods = manifest('autoscaler').spec.maxReplicas + spec.strategy.rollingUpdate.maxSurge + 1
    expect(pods * Number(env.DATABASE_CONNECTIONS)).toBeLessThan(usable)
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
    expect(migration.command).toEqual(['petstore', 'migrate'])
    expect(migration.env).toEqual(container.env.filter(({ name }: { name: string }) => name === 'DATABASE_URL'))
    expect(migration.securityContext).toEqual(container.securityContext)
    expect(template.spec.securityContext).toEqual(pod.securityContext)
    for (const [label, value] of Object.entries(manifest('service').spec.selector))
      expect(template.metadata.labels[label]).not.toBe(value)
    const [, selected] = /apply -k deploy\/kubernetes -l (\S+)/.exec(read('docs/upgrade.md')) ?? []
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

  test('scale on the CPU of a node, below the one core that it can use', () => {
    const [{ resource }] = manifest('autoscaler').spec.metrics
    expect(resource.name).toBe('cpu')
    expect(Number(/^(\d+)m$/.exec(resource.target.averageValue)?.[1])).toBeLessThan(1_000)
  })

  test('send the name of BASE_URL to the service, over TLS', () => {
    const { tls, rules } = manifest('ingress').spec
    const { host } = new URL(env.BASE_URL ?? '')
    expect([rules[0].host, tls[0].hosts]).toEqual([host, [host]])
    const { service } = rules[0].http.paths[0].backend
    expect(service.name).toBe(manifest('service').metadata.name)
    expect(manifest('service').spec.ports[0].name).toBe(service.port.name)
  })

  test('let nodes and jobs reach what they need, and be reached only at their ports', () => {
    const [nodes, jobs] = manifests('network-policy')
    const names = container.ports.map(({ name }: { name: string }) => name)
    const portsOf = (rules: { ports: { port: unknown }[] }[]) =>
      rules.flatMap(({ ports }) => ports.map(({ port }) => port))
    expect(nodes.spec.podSelector.matchLabels).toEqual(spec.selector.matchLabels)
    expect(portsOf(nodes.spec.ingress)).toEqual(names)
    expect(portsOf(nodes.spec.egress)).toEqual([53, 53, 5432, 443, 1024])
    expect([jobs.spec.ingress, portsOf(jobs.spec.egress)]).toEqual([undefined, [53, 53, 5432]])
    const components = [manifest('migrate'), manifests('backup')[1]].map(
      ({ metadata }) => metadata.labels['app.kubernetes.io/component'],
    )
    expect(jobs.spec.podSelector.matchExpressions[0].values).toEqual(components)
  })

  test('let webhooks out to exactly the ports that the API accepts', () => {
    const [{ spec: policy }] = manifests('network-policy')
    const rule = policy.egress.find(({ to }: { to?: unknown }) => to !== undefined)
    const isLetOut = (port: number) =>
      rule.ports.some(
        ({ port: first, endPort = first, protocol = 'TCP' }: { port: number; endPort?: number; protocol?: string }) =>
          protocol === 'TCP' && port >= first && port <= endPort,
      )
    const isAccepted = (port: number) =>
      findUrlFault(`https://receiver.example.com:${port}/`, { allowPrivate: false }) === undefined
    const ports = Array.from({ length: 65_535 }, (_, index) => index + 1)
    expect(ports.filter((port) => isLetOut(port) !== isAccepted(port))).toEqual([])
  })

  test('have a backup job with the image of the nodes that writes to its volume only', () => {
    const [claim, { spec }] = manifests('backup')
    const { template } = spec.jobTemplate.spec
    const [backup] = template.spec.containers
    expect([backup.image, backup.command]).toEqual([
      container.image,
      ['petstore', 'backup', '--keep', '7d', '/backups'],
    ])
    expect(backup.securityContext).toEqual(container.securityContext)
    const { fsGroup, ...rest } = template.spec.securityContext
    expect([rest, fsGroup]).toEqual([pod.securityContext, rest.runAsGroup])
    expect(backup.volumeMounts[1].mountPath).toBe(backup.command.at(-1))
    expect(template.spec.volumes[1].persistentVolumeClaim.claimName).toBe(claim.metadata.name)
    expect(template.metadata.labels).not.toMatchObject(manifest('service').spec.selector)
  })

  test('have a monitor for the Prometheus Operator that finds the metrics of every node', () => {
    const [service, monitor] = manifests('prometheus-operator/service-monitor')
    expect(service.spec.selector).toEqual(spec.selector.matchLabels)
    expect(service.spec.ports[0].targetPort).toBe('metrics')
    expect(monitor.spec.selector.matchLabels).toEqual(service.metadata.labels)
    expect(monitor.spec.endpoints[0].port).toBe(service.spec.ports[0].name)
  })
})

describe('the systemd units', () => {
  const names = ['petstore.service', 'petstore-backup.service', 'petstore-backup.timer']
  const unit = (name: string) => read(`deploy/systemd/${name}`)
  const analyze = debianProgram('systemd-analyze', ['systemd'])

  test('use settings the program knows, in the directory of the service', () => {
    for (const name of names.slice(0, 2)) {
      const [, line = ''] = /^Environment=(.*)$/m.exec(unit(name)) ?? []
      accepted(Object.fromEntries(line.split(' ').map((pair) => pair.split('=', 2) as [string, string])))
      expect(unit(name)).toContain(`DATABASE_URL=sqlite:/var/lib/petstore/`)
    }
  })

  test.if(analyze !== undefined)('are valid and restricted, as systemd-analyze sees them', () => {
    using home = newDirectory()
    // The program is not installed where the tests run.
    const copies = names.map((name) => join(home.path, name))
    for (const [index, name] of names.entries())
      writeFileSync(copies[index] as string, unit(name).replace('/usr/local/bin/petstore', '/bin/true'))
    const run = (...words: string[]) => spawnSync(analyze as string, words, { encoding: 'utf8' })
    // What it says about other units of the machine does not matter.
    const said = run('verify', '--man=no', ...copies).stderr.split('\n')
    expect(said.filter((line) => line.includes('petstore'))).toEqual([])
    // From 0, fully restricted, to 100.
    const { status: restricted } = run('security', '--offline=true', '--threshold=20', ...copies.slice(0, 2))
    expect(restricted).toBe(0)
  })
})
