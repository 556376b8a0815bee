import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { call } from '../harness/nodes.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const root = new URL('../../..', import.meta.url).pathname

describe.if(onPostgres)('npm run cluster', () => {
  let home: string
  const started: Subprocess[] = []
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'petstore-cluster-'))
    chmodSync(home, 0o755)
  })
  afterAll(async () => {
    for (const child of started) child.kill('SIGTERM')
    await Promise.all(started.map((child) => child.exited))
    rmSync(home, { recursive: true, force: true })
  })

  function spawn() {
    const child = Bun.spawn([process.execPath, 'scripts/cluster.ts'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, CLUSTER_HOME: home, PORT: '0' },
    })
    started.push(child)
    return child
  }

  async function startCluster() {
    const child = spawn()
    let output = ''
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true })
      if (output.includes('Ctrl-C')) break
    }
    const [service = '', ...nodes] = [...output.matchAll(/(?:Service|Node \d) +(http:\S+?)\/?$/gm)].map((hit) => hit[1])
    const [, secret = ''] = /curl -H 'X-API-Key: (\S+)'/.exec(output) ?? []
    return { child, service, nodes, secret }
  }

  test('serves through the proxy, keeps its data and leaves nothing running', async () => {
    const first = await startCluster()
    expect(first.nodes).toHaveLength(3)
    const category = (await call(first.service, first.secret, 'POST', '/categories', { name: 'Fish' })).body
    const pet = { name: 'Kept', categoryId: category.id }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call(first.service, first.secret, 'POST', '/pets', pet)),
    )
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201, 201])
    const next = await call(first.service, first.secret, 'GET', '/pets?q=kept&limit=2')
    expect(next.headers.get('link')).toContain(first.service)

    first.child.kill('SIGINT')
    expect(await first.child.exited).toBe(0)
    await nothingLeft(first)

    const second = await startCluster()
    expect(second.secret).toBe(first.secret)
    expect((await call(second.service, second.secret, 'GET', '/pets?q=kept')).body).toHaveLength(6)

    const third = spawn()
    expect(await third.exited).toBe(1)
    expect(await third.stderr.text()).toContain('runs already')

    second.child.kill('SIGTERM')
    expect(await second.child.exited).toBe(0)
    await nothingLeft(second)
  })

  async function nothingLeft({ service, nodes }: { service: string; nodes: (string | undefined)[] }): Promise<void> {
    for (const address of [service, ...nodes]) await expect(fetch(`${address}/healthz`)).rejects.toThrow()
    // PostgreSQL removes this file as the last thing it does.
    expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
  }
})
