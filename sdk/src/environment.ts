import { version } from './version.ts'

interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly versions?: Readonly<Record<string, string | undefined>>
}

/** Node, Bun and Deno have one, browsers do not. Not imported, so that the same code runs everywhere. */
const { process } = globalThis as unknown as { process?: ProcessLike }

/** A variable of the environment; undefined if empty, or if there is no environment. */
export function readVariable(name: string): string | undefined {
  try {
    return process?.env?.[name] || undefined
  } catch {
    // Deno asks for permission first.
    return undefined
  }
}

const runtime = ['bun', 'deno', 'node'].find((name) => process?.versions?.[name])

/** Undefined in browsers, which send their own. */
export const userAgent = runtime && `petstore-sdk/${version} ${runtime}/${process?.versions?.[runtime]}`
