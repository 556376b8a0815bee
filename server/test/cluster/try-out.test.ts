import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { failureOf } from '../harness/failure-of.ts'
import { call } from '../harness/nodes.ts'
import { type Running, runProgram } from '../harness/run/run-service.ts'
import { newDirectory, type Scratch } from '../harness/scratch.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'

describe.if(onPostgres)('npm run cluster', () => {
  let home: Scratch
  const started: Running[] = []
  beforeAll(() => {
    home = newDirectory()
    chmodSync(home.path, 0o755)
  })
  afterAll(async () => {
    // Not killed, because that would leave its PostgreSQL running.
    await Promise.all(started.map((cluster) => cluster.kill('SIGTERM')))
    home.remove()
  })

  function run(): Running {
    const running = runProgram({
      command: [process.execPath, 'scripts/cluster.ts'],
      env: { CLUSTER_HOME: home.path, PORT: '0' },
      readyWhen: /Ctrl-C/,
    })
    started.push(running)
    return running
  }

  async function startCluster() {
    const running = run()
    await running.ready
    const output = running.output()
    const [service = '', ...nodes] = [...output.matchAll(/(?:Service|Node \d) +(http:\S+?)\/?$/gm)].map((hit) => hit[1])
    const [, secret = ''] = /curl -H 'X-API-Key: (\S+)'/.exec(output) ?? []
    return { running, service, nodes, secret }
  }

  test('serves through the proxy, keeps its data and leaves no process running', async () => {
    const first = await startCluster()
    expect(first.nodes).toHaveLength(3)
    const category = (await call(first.service, first.secret, 'POST', '/categories', { name: 'Fish' })).body
    const pet = { name: 'Kept', categoryId: category.id }
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => call(first.service, first.secret, 'POST', '/pets', pet)),
    )
    expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201, 201, 201])
    const next = await call(first.service, first.secret, 'GET', '/pets?q=kept&limit=2')
    expect(next.headers.get('link')).toContain(first.service)

    expect(await first.running.kill('SIGINT')).toBe(0)
    await nothingLeft(first)

    const second = await startCluster()
    expect(second.secret).toBe(first.secret)
    expect((await call(second.service, second.secret, 'GET', '/pets?q=kept')).body).toHaveLength(6)

    const third = run()
    expect(await third.exited).toBe(1)
    expect(third.errors()).toContain('is already running')

    expect(await second.running.kill('SIGTERM')).toBe(0)
    await nothingLeft(second)
  })

  async function nothingLeft({ service, nodes }: { service: string; nodes: (string | undefined)[] }): Promise<void> {
    for (const address of [service, ...nodes])
      expect(await failureOf(fetch(`${address}/healthz`))).toBeInstanceOf(Error)
    // PostgreSQL removes this file last.
    expect(existsSync(join(home.path, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
  }
})
