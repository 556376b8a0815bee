import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { Description } from './name-requests.ts'

/** Reads an OpenAPI document, as JSON or YAML, from a file or an address. */
export async function readDescription(fileOrUrl: string): Promise<Description> {
  try {
    const text = /^https?:/.test(fileOrUrl) ? await load(fileOrUrl) : readFileSync(fileOrUrl, 'utf8')
    const data: unknown = parse(text)
    if (data instanceof Object && 'paths' in data) return data as Description
  } catch (error) {
    throw new Failure(`${fileOrUrl} cannot be read: ${reasonOf(error)}.`, exitCodes.misused)
  }
  throw new Failure(`${fileOrUrl} is not an OpenAPI document: it has no paths.`, exitCodes.misused)
}

async function load(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.text()
}
