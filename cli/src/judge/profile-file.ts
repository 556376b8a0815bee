import { readFileSync, statSync } from 'node:fs'
import { errorCodeIn } from '@petstore/judge/history/error-code'
import type { Profile } from '@petstore/judge/profile'
import { parse } from 'yaml'
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { presets } from './presets.ts'

const pattern = z.string().refine(isPattern, 'is not a regular expression')
const header = z.string().regex(/^[!#$%&'*+.^`|~\w-]+$/, 'is not the name of a header')
const headerInLowerCase = header.transform((name) => name.toLowerCase())
const method = z.string().transform((name) => name.toUpperCase())
const status = z.int().min(100).max(599)
const names = z.array(z.string().min(1))
const responses = z.strictObject({ statuses: z.array(status).optional(), codes: names.optional() })

/** What the API really sends when it rejects a request. */
const rejection = z.strictObject({
  status: status.min(400),
  headers: z
    .record(
      header.refine((name) => !/^(content-length|transfer-encoding)$/i.test(name), 'follows from the body'),
      z.union([z.string().regex(/^[^\r\n\0]*$/, 'has a line break'), z.number()]).transform(String),
    )
    .default({}),
  body: z.string().default(''),
})

/** Which requests have this name. `$1` in the name is what the pattern of the header has in brackets. */
const operation = z.strictObject({
  name: z.string().min(1),
  method: method.optional(),
  path: pattern.optional(),
  query: pattern.optional(),
  header: headerInLowerCase.optional(),
  value: pattern.optional(),
  body: pattern.optional(),
})

const shape = z.strictObject({
  /** The OpenAPI document that names the operations: a file, or a path of the upstream. */
  description: z.string().optional(),
  /** Environment variables of the client besides JUDGE_URL. In names and values, `{url}` is the address of the proxy, `{host}` its host and port. */
  variables: z.record(z.string(), z.string()).default({}),
  /** The first one that matches names a request. */
  operations: z.array(operation).default([]),
  credentials: z
    .strictObject({
      headers: z.array(headerInLowerCase).default([]),
      /** The part of these headers that tells clients apart, in brackets: a signature is another one for each request. */
      part: pattern.optional(),
      inAddress: z.array(pattern).optional(),
      sendIn: z.string().optional(),
    })
    .refine(({ inAddress, sendIn }) => !inAddress === !sendIn, 'inAddress and sendIn belong together')
    .default({ headers: [] }),
  errors: z
    .strictObject({
      codeField: z.string().optional(),
      retry: responses.default({}),
      mayRetry: responses.default({}),
    })
    .optional(),
  limits: z
    .strictObject({
      statuses: z.array(status).optional(),
      codes: names.optional(),
      scope: z.enum(['client', 'operation']),
      exempt: names.optional(),
      liftedBy: names.optional(),
      resetHeader: headerInLowerCase.optional(),
      remainingHeader: headerInLowerCase.optional(),
    })
    .optional(),
  repeats: z
    .strictObject({
      methods: z.array(method).default(['POST']),
      operations: names.optional(),
      /** Where the token is that names a call: in a header, or in a field of a JSON body. If there is none, no repeat is safe. */
      header: headerInLowerCase.optional(),
      field: z.string().optional(),
      token: z.literal('none').optional(),
      // A server that cannot handle a request at the moment has not done it.
      nothingDone: responses.default({ statuses: [503] }),
      outcomeUnknown: responses.default({}),
      reused: responses.default({}),
      mustBeSettled: z.boolean().optional(),
      shownBy: names.optional(),
    })
    .refine(({ header, field, token }) => header ?? field ?? token, 'needs header or field, or token: none')
    .transform(({ token: _, ...repeats }) => repeats)
    .optional(),
  bans: z.strictObject({ codes: names, windowsHeader: headerInLowerCase.optional() }).optional(),
  /** The longest first wait that counts as back-off, if the API's own clients wait less. */
  backOff: z.strictObject({ firstMs: z.number().positive() }).optional(),
  conditions: z.strictObject({ operations: names }).optional(),
  pages: z.strictObject({ cursor: z.string(), invalid: responses.default({}) }).optional(),
  deprecation: z.strictObject({ header: headerInLowerCase }).optional(),
  /** Rejections for the faults `limited` and `unavailable`. A fault without one is not simulated. */
  sends: z
    .strictObject({
      limited: rejection.optional(),
      unavailable: rejection.extend({ status: status.min(500) }).optional(),
    })
    .default({}),
  /** Operations that do no harm when repeated, but whose response may be lost or late all the same. */
  lose: names.default([]),
  /** How long the fault `slow` holds a response back. */
  slowSeconds: z.number().positive().max(60).default(3),
})

export type Rejection = z.infer<typeof rejection>
export type OperationPattern = z.infer<typeof operation>

/** What is known about an API: what its rules judge by, and how to name, record and disturb its requests. */
export interface ApiProfile {
  readonly rules: Profile
  readonly description?: string | undefined
  readonly operations: readonly OperationPattern[]
  readonly credentials: { readonly headers: readonly string[]; readonly part?: string | undefined }
  readonly variables: Readonly<Record<string, string>>
  readonly sends: { readonly limited?: Rejection | undefined; readonly unavailable?: Rejection | undefined }
  readonly lose: readonly string[]
  readonly slowSeconds: number
}

/** Reads a preset by its name, or a file. Reports all that is wrong with it. */
export function readProfile(nameOrFile: string): ApiProfile {
  return checkProfile(readYaml(readText(nameOrFile), nameOrFile), nameOrFile)
}

/** The profile of an API of which nothing is known. */
export const emptyProfile = (): ApiProfile => checkProfile({}, '')

function readText(file: string): string {
  if (Object.hasOwn(presets, file)) return presets[file] ?? ''
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return readFileSync(file, 'utf8')
  const known = Object.keys(presets).join(', ')
  throw new Failure(`There is no profile ${file}: neither a file nor one of ${known}.`, exitCodes.misused)
}

function readYaml(text: string, source: string): unknown {
  try {
    return parse(text) ?? {}
  } catch (error) {
    throw new Failure(`${source} is not valid YAML: ${reasonOf(error)}`, exitCodes.misused)
  }
}

function checkProfile(data: unknown, source: string): ApiProfile {
  const { success, data: profile, error } = shape.safeParse(data)
  const faults = success ? findContradictions(profile) : error.issues.map(describeIssue)
  if (!success || faults.length > 0)
    throw new Failure(
      `${source} is not a valid profile:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
      exitCodes.misused,
    )
  const { description, variables, operations, credentials, sends, lose, slowSeconds, ...rules } = profile
  const { inAddress, sendIn, headers, part } = credentials
  return {
    // An entry that is missing is no entry, so its rule does not apply.
    rules: dropUndefined({ ...rules, ...(inAddress && { credentials: { inAddress, sendIn } }) }) as Profile,
    description,
    operations,
    credentials: { headers, part },
    variables,
    sends,
    lose,
    slowSeconds,
  }
}

const describeIssue = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`

/** What is simulated must be what the rules look for. */
function findContradictions({ sends, limits, errors }: z.infer<typeof shape>): string[] {
  if (!sends.limited) return []
  if (!limits) return ['sends.limited: there is no entry limits, so no rule would understand it']
  const { status, body } = sends.limited
  const code = errors?.codeField === undefined ? undefined : errorCodeIn(body, errors.codeField)
  const isKnown = limits.statuses?.includes(status) || limits.codes?.includes(code ?? '')
  return isKnown ? [] : [`sends.limited: neither its status is one of limits.statuses nor its code one of limits.codes`]
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    return false
  }
}

/** JSON has no undefined. */
const dropUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
