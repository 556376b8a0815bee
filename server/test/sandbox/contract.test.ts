import { test } from 'bun:test'
import { runInSandbox } from '../harness/run/run-in-sandbox.ts'

// The tests of every operation's example, and all tests of some operations.
const names = 'the example of|\\b(listPets|createPet|placeOrder)\\b'

test('what the contract tests say of the service holds in a sandbox', async () => {
  await runInSandbox(['server/test/contract/success.test.ts', 'server/test/contract/rejections.test.ts'], names)
}, 300_000)
