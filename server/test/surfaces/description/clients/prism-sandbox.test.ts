import { test } from 'bun:test'
import { runInSandbox } from '../../../harness/run/run-in-sandbox.ts'

// Some operations of each kind: the sandbox adds the same to all.
const names = '(no objection to (listPets|getPet|createPet|deletePet|placeOrder|createKey|pingWebhook):|objects)'

test('Prism has no objection to a sandbox, either', async () => {
  await runInSandbox(['server/test/surfaces/description/clients/prism.test.ts'], names)
}, 300_000)
