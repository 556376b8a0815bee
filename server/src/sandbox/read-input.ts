import type { z } from 'zod'
import { validationFailed } from '../api/errors.ts'
import type { Fault } from '../api/faults.ts'
import { parseJson } from '../api/json.ts'
import { check } from '../api/validate.ts'
import { readBody } from '../http/body.ts'
import { headersOf } from '../http/head.ts'

/** Reads the body of a request to the host. An absent one counts as `{}`. */
export async function readInput<S extends z.ZodType>(request: Request, shape: S): Promise<z.output<S>> {
  const text = await readBody({ request, headers: headersOf(request) }, ['application/json'])
  const faults: Fault[] = []
  const input = check(shape, text === '' ? {} : parseJson(text), 'body', faults)
  if (faults.length > 0 || input === undefined) throw validationFailed(faults)
  return input
}
