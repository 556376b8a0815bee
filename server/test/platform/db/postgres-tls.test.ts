import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { call, startNodes } from '../../harness/nodes.ts'
import { debianProgram } from '../../harness/run/debian-program.ts'
import { type PostgresServer, startPostgres } from '../../harness/run/embedded-postgres.ts'
import { runService } from '../../harness/run/run-service.ts'
import { newDirectory, type Scratch } from '../../harness/scratch.ts'

const openssl = process.env.TEST_ENGINE === 'postgres' ? debianProgram('openssl') : undefined

/** An authority that signs a certificate for 127.0.0.1, and another that signs nothing. */
const certificates = `
new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
$new -x509 -subj /CN=ours -keyout ca.key -out ca.pem
$new -x509 -subj /CN=another -keyout another.key -out another.pem
$new -subj /CN=database -addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy -out server.pem
chmod 600 server.key`

describe.if(openssl !== undefined)('TLS to PostgreSQL', () => {
  let home: Scratch
  let server: PostgresServer
  beforeAll(async () => {
    home = newDirectory()
    chmodSync(home.path, 0o755)
    const { status, stderr } = spawnSync('sh', ['-ec', certificates], { cwd: home.path, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    // PostgreSQL runs as another user if this is root, and must own its key.
    if (process.getuid?.() === 0) spawnSync('chown', ['nobody', join(home.path, 'server.key')])
    const files = [`ssl_cert_file=${join(home.path, 'server.pem')}`, `ssl_key_file=${join(home.path, 'server.key')}`]
    server = await startPostgres(undefined, { settings: ['fsync=off', 'ssl=on', ...files] })
  })
  afterAll(async () => {
    await server.remove()
    home.remove()
  })

  const verified = (host: string, authority: string) => {
    const url = new URL(server.url)
    url.hostname = host
    url.search = `?sslmode=verify-full&sslrootcert=${join(home.path, authority)}`
    return url.href
  }

  test('with sslmode=verify-full every connection is encrypted and the server verified', async () => {
    const cluster = await startNodes(1, {}, verified('127.0.0.1', 'ca.pem'))
    const made = await call(cluster.nodes[0]?.url ?? '', cluster.adminSecret, 'POST', '/categories', { name: 'Fish' })
    expect(made.status).toBe(201)
    const sql = new SQL(server.url, { max: 1, tls: false })
    const ours = `SELECT ssl, count(*)::int AS connections FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
      WHERE application_name LIKE 'petstore%' GROUP BY ssl`
    const rows = await sql.unsafe(ours)
    await sql.close()
    await cluster.stop()
    expect(rows.map(({ ssl }: { ssl: boolean }) => ssl)).toEqual([true])
    expect(rows[0].connections).toBeGreaterThan(3)
  })

  test.each([
    ['localhost', 'ca.pem', 'the certificate is for another name', /Set DATABASE_URL to a host name/],
    ['127.0.0.1', 'another.pem', 'another authority has signed it', /Set sslrootcert in DATABASE_URL to the authority/],
  ])('a node does not start if at %s, with %s, %s', async (host, authority, _, advice) => {
    await using node = runService({ env: { DATABASE_URL: verified(host, authority) } })
    expect(await node.exited).toBe(1)
    expect(node.errors()).toMatch(/The connection to PostgreSQL is not secure \(.*certificate/)
    expect(node.errors()).toMatch(advice)
  })
})
