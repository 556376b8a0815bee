import { z } from 'zod'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { waitMsMax } from '../db/wait-queue.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import { type Id, parseInt64 } from '../lib/int64.ts'
import type { Random } from '../lib/random.ts'
import { ApiError, apiErrors, unavailable, validationFailed } from './errors.ts'
import { mustMatch, mustNotExist } from './etag.ts'
import type { Fault } from './faults.ts'
import {
  findReplay,
  idempotencyKeyOf,
  identifyRequest,
  type Outcome,
  type RepeatableRequest,
  runExclusively,
  runOnce,
} from './idempotency.ts'
import { parseJson } from './json.ts'
import {
  type AdmittedCaller,
  type Input,
  mustHaveScope,
  type Operation,
  type Route,
  type StreamInput,
} from './operation.ts'
import { pathTemplate } from './path-template.ts'
import { type Traits, traitsOf } from './traits.ts'
import { check } from './validate.ts'

/** A call of an operation in plain values, independent of the protocol. */
export interface Invocation {
  readonly caller: AdmittedCaller
  readonly used: Input['used']
  /** Reads the caller again when the work starts: the body may have taken long to arrive, and the key may have changed. */
  confirmCaller(db: Queryable, now: number): Awaitable<AdmittedCaller>
  /** Set if the call was started before the gate decided: settles with the decision. Changes must not be kept before that. */
  readonly allowed: Promise<void> | undefined
  /** When it arrived. */
  readonly now: number
  currentTime(): number
  readonly random: Random
  /** Whether the key may have changed since its lookup. */
  readonly hasWaited: boolean
  /** Charges the call as several requests. Throws if there is no room for all of them. */
  charge(requests: number): Promise<void>
  /** As sent in the path. */
  readonly params: Readonly<Record<string, string>>
  /** As sent; undefined if there are none. */
  readonly query: Readonly<Record<string, string | string[]>> | undefined
  /** Reads the body as JSON text, '' if there is none. Called only after the caller is known to be allowed to call. */
  body(): Promise<string>
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly idempotencyKey: string | undefined
  /** An encryption key that is derived from the caller's secret and this Idempotency-Key. */
  sealingKey(idempotencyKey: string): Uint8Array
  /** Whether the client has disconnected, so that no response reaches it. */
  readonly isAbandoned: boolean
  readonly lastEventId: string | undefined
}

/** Runs an operation. Throws a rejection, unless it is stored for an Idempotency-Key. */
export type Invoke = (invocation: Invocation) => Awaitable<Outcome>

/** Makes operations callable: validates the call, runs the handler, stores the response for an Idempotency-Key. */
export function createInvoker(db: Database): (route: Route) => Invoke {
  const running = new Set<string>()

  function createRead({ operation, kind, handle }: Route & { kind: 'read' }): Invoke {
    const traits = traitsOf(operation)
    const streamOf = (invocation: Invocation): StreamInput => ({
      confirmCaller: async () => invocation.confirmCaller(db.aside, invocation.currentTime()),
      lastEventId: invocation.lastEventId,
    })
    const run = (invocation: Invocation, input: Input) =>
      handle(db, traits.takesLastEventId ? { ...input, stream: streamOf(invocation) } : input)

    return (invocation) => {
      mustBeCallable(operation, traits, invocation)
      mustHaveRoom(operation, kind)
      const input = validate(operation, traits, invocation, '', acceptAnyState)
      if (!invocation.hasWaited) return run(invocation, input)
      return after(invocation.confirmCaller(db.aside, invocation.now), (caller) =>
        run(invocation, { ...input, caller }),
      )
    }
  }

  function createWrite({ operation, kind, handle, cost, first }: Route & { kind: 'write' }): Invoke {
    const traits = traitsOf(operation)
    const pathOf = pathTemplate(operation.path)
    const checkConditions =
      ({ ifMatch, ifNoneMatch }: Invocation) =>
      (state: unknown, ...others: readonly unknown[]) => {
        mustMatch(ifMatch, [state, ...others], operation.ifMatch ?? operation.etag ?? true)
        // RFC 9110 wants this of every PUT, even if it cannot create and the description does not mention the header.
        if (operation.method === 'put') mustNotExist(ifNoneMatch, state)
      }

    /** The request as its Idempotency-Key identifies it; undefined without one. */
    const identify = (invocation: Invocation, body: string) => {
      const key = traits.takesIdempotencyKey ? invocation.idempotencyKey : undefined
      const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key)
      if (idempotencyKey === undefined) return undefined
      const { secretField } = operation
      return identifyRequest(
        { keyId: invocation.caller.keyId, idempotencyKey, path: pathOf(invocation.params), body },
        secretField === undefined ? undefined : { name: secretField, key: invocation.sealingKey(idempotencyKey) },
      )
    }

    /** Charges a call that may cost more than one request. The handler learns what was paid for. */
    const price = async (invocation: Invocation, input: Input): Promise<Input> => {
      const paid = operation.costs === 'items' ? (input.body as unknown[]).length : await cost?.(db, input)
      if (paid === undefined) return input
      await invocation.charge(paid)
      return { ...input, paid }
    }

    /** The stored response of the same request, if it was made before. */
    const replay = async (invocation: Invocation, request: RepeatableRequest): Promise<Outcome | undefined> => {
      const stored = await findReplay(db.aside, request, invocation.now)
      if (!stored) return undefined
      await invocation.confirmCaller(db.aside, invocation.currentTime())
      return stored()
    }

    /** Runs the handler in one transaction, with the caller and the time as they are by then: the body may have taken long to arrive. */
    const run = <T>(
      invocation: Invocation,
      input: Input,
      work: (tx: Transaction, input: Input) => Awaitable<T>,
    ): Promise<T> =>
      db.transaction(
        unlessAbandoned(invocation, (tx) => {
          const now = invocation.currentTime()
          return after(invocation.confirmCaller(tx, now), (caller) => work(tx, { ...input, caller, now }))
        }),
        invocation.allowed,
        first?.(input),
      )

    /** Runs the handler, unless the same request was made before, and stores its response in the same transaction. */
    const runAndStore = (invocation: Invocation, input: Input, request: RepeatableRequest): Promise<Outcome> =>
      run(invocation, input, (tx, current) => runOnce(tx, request, invocation.now, () => handle(tx, current)))

    return async (invocation) => {
      mustBeCallable(operation, traits, invocation)
      mustHaveRoom(operation, kind)
      const bodyText = operation.body ? await invocation.body() : ''
      const input = validate(operation, traits, invocation, bodyText, checkConditions(invocation))

      const request = identify(invocation, bodyText)
      if (!request) return run(invocation, operation.costs ? await price(invocation, input) : input, handle)
      return runExclusively(running, request, async () => {
        if (!operation.costs) return runAndStore(invocation, input, request)
        // A replay is not charged again.
        const replayed = await replay(invocation, request)
        return replayed ?? runAndStore(invocation, await price(invocation, input), request)
      })
    }
  }

  function mustHaveRoom({ meter }: Operation, kind: Route['kind']): void {
    // GET /limits is served under any load.
    if (meter !== 'own' && !db.hasRoomFor(kind)) throw overloaded()
  }

  return (route) => (route.kind === 'read' ? createRead(route) : createWrite(route))
}

const acceptAnyState = () => undefined

/**
 * Undoes the work if the client disconnects before it is done. The listener closes a connection when what follows a request is not
 * HTTP, and returns 400 itself: then nothing may have been done.
 */
function unlessAbandoned<T>(invocation: Invocation, work: (tx: Transaction) => Awaitable<T>) {
  return (tx: Transaction): Awaitable<T> => {
    mustBeConnected(invocation)
    return after(work(tx), (result) => {
      mustBeConnected(invocation)
      return result
    })
  }
}

function mustBeConnected({ isAbandoned }: Invocation): void {
  if (isAbandoned) {
    throw new ApiError(apiErrors.validation_failed, 'The connection was closed, so nothing was done.', {
      advice: 'Keep the connection open until the response has arrived.',
    })
  }
}

/** Throws if the operation is past its sunset, or the caller lacks its scope. */
function mustBeCallable(operation: Operation, { sunsetAt }: Traits, { caller, now }: Invocation): void {
  if (sunsetAt !== undefined && now >= sunsetAt) {
    const advice = `Use GET ${operation.deprecation?.successor}, which the \`Link\` header names with \`rel="successor-version"\`.`
    throw new ApiError(apiErrors.operation_sunset, undefined, { advice })
  }
  mustHaveScope(operation, caller.scopes)
}

/** Too much is waiting for the database to serve this in time. */
function overloaded(): ApiError {
  const seconds = waitMsMax / 1000
  return unavailable(`The service is overloaded: this request would have waited more than ${seconds} s.`, seconds)
}

/** Parses the ids in a path; undefined if one is not an id, which the schema then reports. */
function parseIds(params: Invocation['params'], names: Traits['idsInPath'] = []): Record<string, Id> | undefined {
  const ids: Record<string, Id> = {}
  for (const name of names) {
    const id = parseInt64(params[name] ?? '')
    if (id === undefined) return undefined
    ids[name] = id
  }
  return names.length > 0 ? ids : undefined
}

const noParameters = z.strictObject({})

/** Parses everything the client sent, or throws one error that lists every fault. */
function validate(
  operation: Operation,
  traits: Traits,
  invocation: Invocation,
  bodyText: string,
  checkState: Input['mustMatch'],
): Input {
  const { caller, used, now, random } = invocation
  const ids = traits.takesOnlyIds && !invocation.query ? parseIds(invocation.params, traits.idsInPath) : undefined
  const { params, query, body } = ids
    ? { params: ids, query: undefined, body: undefined }
    : checkInput(operation, traits, invocation, bodyText)
  return { params, query, body, caller, used, now, random, mustMatch: checkState, paid: 1 }
}

function checkInput(operation: Operation, traits: Traits, invocation: Invocation, bodyText: string) {
  const faults: Fault[] = []
  const { query } = invocation
  const given = {
    params:
      operation.params &&
      (parseIds(invocation.params, traits.idsInPath) ?? check(operation.params, invocation.params, 'path', faults)),
    query:
      operation.query || query
        ? check(operation.query ?? noParameters, joinLists(query ?? {}, traits.listParameters), 'query', faults)
        : undefined,
    body: undefined as unknown,
  }
  const idempotencyKey = traits.takesIdempotencyKey ? invocation.idempotencyKey : undefined
  if (idempotencyKey !== undefined && !idempotencyKeyOf(idempotencyKey)) {
    faults.push({ in: 'header', path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (operation.body) {
    const value = bodyText === '' && traits.isBodyOptional ? undefined : parseJson(bodyText)
    given.body = check(operation.body, value, 'body', faults)
  }
  if (faults.length > 0) throw validationFailed(faults)
  return given
}

type Query = Readonly<Record<string, string | string[]>>

/** Merges `name[]` into `name` for parameters that take several values. */
function joinLists(query: Query, lists: ReadonlySet<string>): Query {
  const bracketed = Object.keys(query).filter((name) => name.endsWith('[]') && lists.has(name.slice(0, -2)))
  if (bracketed.length === 0) return query
  const joined: Record<string, string | string[]> = { ...query }
  for (const bracketedName of bracketed) {
    const name = bracketedName.slice(0, -2)
    joined[name] = [query[name] ?? [], query[bracketedName] ?? []].flat()
    delete joined[bracketedName]
  }
  return joined
}
