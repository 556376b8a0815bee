import { z } from 'zod'
import type { Database, Queryable } from '../db/database.ts'
import { waitMsMax } from '../db/line.ts'
import { ApiError, type Fault, insufficientScope, validationFailed } from './errors.ts'
import { mustMatch, mustNotExist } from './etag.ts'
import { alone, idempotencyKeyOf, type Outcome, once, repeatable } from './idempotency.ts'
import { parseJson } from './json.ts'
import type { Admitted, Caller, Input, Operation, Route } from './operation.ts'
import { pathTemplate } from './path-template.ts'
import { joinLists } from './query-lists.ts'
import { type Traits, traitsOf } from './traits.ts'
import { check } from './validate.ts'

/** A call of an operation in plain values, whichever way it came in. */
export interface Invocation {
  readonly caller: Caller
  /** Who calls, asked where the work begins: the body may have been long in coming, and the key may have changed since. */
  readonly confirmed: (db: Queryable) => Admitted | Promise<Admitted>
  readonly now: number
  /** Told how many requests it counts as, where that is not one. Refuses it when there is no room for all of them. */
  readonly charge: (requests: number) => Promise<void>
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
      // What is left of a quota can be asked whatever else is going on.
      if (operation.meter !== 'own' && !db.hasRoomFor(route.kind)) throw crowded()
      const bodyText = operation.body ? await invocation.body() : ''
      const given = {
        ...validated(operation, traits, invocation, bodyText),
        now,
        mustMatch(state: unknown) {
          if (traits.takesIfMatch) mustMatch(ifMatch, state, operation.etag ?? true)
          if (traits.takesIfNoneExists) mustNotExist(ifNoneMatch, state)
        },
      }
      if (operation.costs === 'items') await invocation.charge((given.body as unknown[]).length)
      const inputFor = async (db: Queryable): Promise<Input> => ({ ...given, caller: await invocation.confirmed(db) })
      if (route.kind === 'read') return { reply: await route.handle(db, await inputFor(db.aside)), replayed: false }

      const key = traits.takesIdempotencyKey ? invocation.idempotencyKey : null
      const idempotencyKey = key === null ? undefined : idempotencyKeyOf(key)
      if (idempotencyKey === undefined) {
        return { reply: await db.transaction(async (tx) => route.handle(tx, await inputFor(tx))), replayed: false }
      }
      const repeated = repeatable(caller.keyId, idempotencyKey, pathOf(invocation.params), bodyText)
      return alone(underWay, repeated, () =>
        db.transaction(async (tx) => {
          const input = await inputFor(tx)
          return once(tx, repeated, now, operation.secretField, () => route.handle(tx, input))
        }),
      )
    }
  }
}

function mayCall({ scope }: Operation, { sunsetAt }: Traits, { caller, now }: Invocation): void {
  if (sunsetAt !== undefined && now >= sunsetAt) throw new ApiError('operation_sunset')
  if (scope && !caller.scopes.has(scope)) throw insufficientScope(scope)
}

/** More waits for the database than can be served in time. */
function crowded(): ApiError {
  const seconds = waitMsMax / 1000
  return new ApiError(
    'unavailable',
    `More is waiting than can be done within ${seconds} s, so this was not begun. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
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
