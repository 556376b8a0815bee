import { z } from 'zod'
import type { Database } from '../db/database.ts'
import { ApiError, type Fault, validationFailed } from './errors.ts'
import { mustMatch, mustNotExist } from './etag.ts'
import { alone, idempotencyKeyOf, type Outcome, once, repeatable } from './idempotency.ts'
import { parseJson } from './json.ts'
import type { Caller, Input, Operation, Route } from './operation.ts'
import { pathTemplate } from './path-template.ts'
import { joinLists } from './query-lists.ts'
import { type Traits, traitsOf } from './traits.ts'
import { check } from './validate.ts'

/** A call of an operation in plain values, whichever way it came in. */
export interface Invocation {
  readonly caller: Caller
  readonly now: number
  /** As they were written in the path. */
  readonly params: Readonly<Record<string, string>>
  /** As they were written; undefined when there are none. */
  readonly query: Readonly<Record<string, string | string[]>> | undefined
  /** The body as JSON text, '' when there is none. Asked for once it is known that the caller may call. */
  readonly body: () => Promise<string>
  readonly ifMatch: string | null
  readonly ifNoneMatch: string | null
  readonly idempotencyKey: string | null
}

/** Does what an invocation asks for. A refusal is thrown, except one that is kept for an Idempotency-Key. */
export type Invoke = (invocation: Invocation) => Promise<Outcome>

/** Makes operations callable: checks the call, runs the handler, keeps the answer for an Idempotency-Key. */
export function createInvoker(db: Database): (route: Route) => Invoke {
  const underWay = new Set<string>()

  return (route) => {
    const { operation } = route
    const traits = traitsOf(operation)
    const pathOf = pathTemplate(operation.path)

    return async (invocation) => {
      const { caller, now, ifMatch, ifNoneMatch } = invocation
      mayCall(operation, traits, invocation)
      const bodyText = operation.body ? await invocation.body() : ''
      const input: Input = {
        ...validated(operation, traits, invocation, bodyText),
        caller,
        now,
        mustMatch(state) {
          if (traits.takesIfMatch) mustMatch(ifMatch, state, operation.etag ?? true)
          if (traits.takesIfNoneExists) mustNotExist(ifNoneMatch, state)
        },
      }
      if (route.kind === 'read') return { reply: await route.handle(db, input), replayed: false }

      const key = traits.takesIdempotencyKey ? invocation.idempotencyKey : null
      const idempotencyKey = key === null ? undefined : idempotencyKeyOf(key)
      if (idempotencyKey === undefined) {
        return { reply: await db.transaction((tx) => route.handle(tx, input)), replayed: false }
      }
      const repeated = repeatable(caller.keyId, idempotencyKey, pathOf(invocation.params), bodyText)
      return alone(underWay, repeated, () =>
        db.transaction((tx) => once(tx, repeated, now, operation.secretField, () => route.handle(tx, input))),
      )
    }
  }
}

function mayCall({ scope }: Operation, { sunsetAt }: Traits, { caller, now }: Invocation): void {
  if (sunsetAt !== undefined && now >= sunsetAt) throw new ApiError('operation_sunset')
  if (scope && !caller.scopes.has(scope)) {
    throw new ApiError('insufficient_scope', `This operation needs the scope ${scope}.`)
  }
}

const noParameters = z.strictObject({})

/** Everything the caller sent in its declared form, or one error that names every fault. */
function validated(operation: Operation, traits: Traits, { params, query, ...call }: Invocation, bodyText: string) {
  const faults: Fault[] = []
  const given = {
    params: operation.params ? check(operation.params, params, 'path', faults) : undefined,
    query:
      operation.query || query
        ? check(operation.query ?? noParameters, joinLists(query ?? {}, traits.listParameters), 'query', faults)
        : undefined,
    body: undefined as unknown,
  }
  if (traits.takesIdempotencyKey && call.idempotencyKey !== null && !idempotencyKeyOf(call.idempotencyKey)) {
    faults.push({ in: 'header', path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (operation.body) {
    const value = bodyText === '' && traits.isBodyOptional ? undefined : parseJson(bodyText)
    given.body = check(operation.body, value, 'body', faults)
  }
  if (faults.length > 0) throw validationFailed(faults)
  return given
}
