import type { Report } from '../../../../../../sdk/src/testing/records.ts'
import type { Sandbox } from '../../../../../../sdk/src/testing/sandbox.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** Sends a program through all scenarios, one process each. */
export async function takeExam(shop: Sandbox, command: readonly string[]): Promise<Report> {
  for (const scenario of scenarios) await runScenario(shop, command, scenario)
  return shop.report()
}

async function runScenario(shop: Sandbox, command: readonly string[], { call, petId, faults = [] }: Scenario) {
  await shop.heal()
  for (const { fault, times, latencyMs, retryAfterSeconds, ...where } of faults)
    await shop.fail(where, fault, { times, latencyMs, retryAfterSeconds })
  const sentBefore = (await shop.requests()).length
  const child = Bun.spawn([...command, call, String(petId)], {
    env: {
      PATH: process.env.PATH ?? '',
      PETSTORE_URL: shop.url,
      PETSTORE_API_KEY: shop.apiKey,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors] = await Promise.all([child.stderr.text(), child.exited])
  // Many scenarios end with an error, but none without a request.
  if ((await shop.requests()).length === sentBefore) throw new Error(`${command.join(' ')} ${call}\n${errors}`)
}
