import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** What `petstore login` stores: a key and the service it is for. */
export interface Login {
  readonly url: string
  readonly apiKey: string
}

type Env = Readonly<Record<string, string | undefined>>

export const loginPath = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'petstore', 'login.json')

export function readLogin(env: Env): Login | undefined {
  const path = loginPath(env)
  try {
    const { url, apiKey } = JSON.parse(readFileSync(path, 'utf8')) as Login
    return { url: String(url), apiKey: String(apiKey) }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw new Failure(`Cannot read ${path} (${(error as Error).message}). Run \`petstore login\` again.`)
  }
}

/** For a command that replaces the file, so a damaged one does not matter. */
export function readLoginIfIntact(env: Env): Login | undefined {
  try {
    return readLogin(env)
  } catch {
    return undefined
  }
}

/** Only the owner can read the file, from the first byte on. */
export function writeLogin(env: Env, login: Login): string {
  const path = loginPath(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const part = `${path}.part`
  rmSync(part, { force: true })
  writeFileSync(part, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(part, path)
  return path
}

/** Returns whether there was one. */
export function removeLogin(env: Env): boolean {
  const path = loginPath(env)
  const wasStored = existsSync(path)
  rmSync(path, { force: true })
  return wasStored
}
