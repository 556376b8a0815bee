import { afterAll, describe, expect, test } from 'bun:test'
import { debianProgram } from '../harness/run/debian-program.ts'
import { startService } from '../harness/service.ts'

const promtool = debianProgram('promtool', ['prometheus'])

describe.if(promtool !== undefined)('the metrics', async () => {
  const service = await startService({ env: { METRICS_PORT: '0' } })
  afterAll(() => service.stop())

  test('promtool accepts the names, units and format of all metrics', async () => {
    await service.admin.post('/categories', { name: 'Dogs' })
    await service.admin.get('/categories')
    const text = await (await fetch(service.metricsUrl)).text()
    const check = Bun.spawn([promtool ?? '', 'check', 'metrics'], {
      stdin: new Blob([text]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const said = `${await new Response(check.stdout).text()}${await new Response(check.stderr).text()}`
    expect([await check.exited, said]).toEqual([0, ''])
  })
})
