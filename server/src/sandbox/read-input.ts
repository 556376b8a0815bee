import type { z } from 'zod'
import { validationFailed } from '../platform/api/errors.ts'
import type { Fault } from '../platform/api/faults.ts'
import { parseJson } from '../platform/api/json.ts'
import { check } from '../platform/api/validate.ts'
import { headersOf, readBody } from '../surfaces/http/request.ts'

/** Reads the body of a request to the host. An absent one counts as `{}`. */
export async function readInput<S extends z.ZodType>(request: Request, shape: S): Promise<z.output<S>> {
  const text = await readBody({ request, headers: headersOf(request) }, ['application/json'])
  const faults: Fault[] = []
  const input = check(shape, text === '' ? {} : parseJson(text), 'body', faults)
  if (faults.length > 0 || input === undefined) throw validationFailed(faults)
  return input
}
