import { test } from 'bun:test'
import { runInSandbox } from '../harness/run/run-in-sandbox.ts'

// The example of every operation, and all that is said of some.
const names = 'the example of|\\b(listPets|createPet|placeOrder)\\b'

test('what the contract tests say of the service holds in a sandbox', async () => {
  await runInSandbox(['server/test/contract/success.test.ts', 'server/test/contract/rejections.test.ts'], names)
}, 300_000)
