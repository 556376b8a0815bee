import { PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls } from './calls.ts'
import { withExamples } from './examples.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { loginPath, readLoginIfIntact, removeLogin, writeLogin } from './login-file.ts'
import { printResult } from './print-result.ts'
import { readSecret } from './read-secret.ts'
import { attemptsMax, serviceUrl } from './shop/connect.ts'
import type { Terminal } from './terminal.ts'

export function addLogin(program: Command, terminal: Terminal): void {
  const login = declareCalls(program.command('login'), 'getLimits')
    .description('Store an API key for later commands, in a file that only you can read. The key is checked first.')
    .action(async () => {
      const url = serviceUrl(terminal, login, readLoginIfIntact)
      const apiKey = await readSecret(terminal, `API key for ${url}: `)
      if (apiKey === '') throw new Failure('No key given. Type it, or pipe it in.', exitCodes.misused)
      const { keyId, plan } = await new PetStore({ baseUrl: url, apiKey, attemptsMax }).limits.get()
      const path = writeLogin(terminal.env, { url, apiKey })
      const text = `Logged in to ${url} (plan: ${plan}). The key is stored in ${path}.`
      await printResult(terminal, login, { url, keyId, plan, file: path }, text)
    })
  withExamples(
    login,
    ['petstore login', 'prompt for the key without echo'],
    ['petstore login --url https://petstore.example.com < key.txt', 'read it from a file, for another service'],
  )
  const logout = program
    .command('logout')
    .description('Remove the stored key.')
    .action(async () => {
      const path = loginPath(terminal.env)
      const text = removeLogin(terminal.env) ? `Logged out. The key is removed from ${path}.` : 'No key was stored.'
      await printResult(terminal, logout, { file: path, isStored: false }, text)
    })
  withExamples(logout, ['petstore logout', 'remove the stored key'])
}
