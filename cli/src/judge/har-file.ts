import { readFileSync, writeFileSync } from 'node:fs'
import { type Exchange, inOrder } from '@petstore/judge/history'
import { toHar } from '@petstore/judge/output/har'
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { digestBody } from './body-digest.ts'
import { createMask } from './mask-address.ts'
import type { NameRequest } from './name-requests.ts'
import type { ApiProfile } from './profile-file.ts'
import { createNumbers, credentialOf, type Recorder } from './record.ts'

/** Writes what was recorded as an HTTP archive, with the bodies if they were kept. */
export function writeHar(file: string, recorder: Recorder, baseUrl: string, version: string): void {
  const exchanges = recorder.exchanges().map((exchange): Exchange => {
    const { request: body, response: responseBody } = recorder.bodiesOf(exchange.id) ?? {}
    return { ...exchange, ...(body !== undefined && { body }), ...(responseBody !== undefined && { responseBody }) }
  })
  const har = toHar({ name: 'petstore judge', version }, exchanges, baseUrl)
  try {
    writeFileSync(file, `${JSON.stringify(har, null, 1)}\n`)
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}.`, exitCodes.failed)
  }
}

const headers = z.array(z.looseObject({ name: z.string(), value: z.string() })).default([])
const parameter = z.looseObject({ name: z.string(), value: z.string().default('') })
/** The fields that are read. Those with an underscore are only in our recordings: of this program, and of a sandbox. */
const archive = z.looseObject({
  log: z.looseObject({
    entries: z.array(
      z.looseObject({
        startedDateTime: z.iso.datetime({ offset: true }),
        time: z.number(),
        connection: z.unknown().optional(),
        _error: z.string().optional(),
        _bodyCut: z.boolean().optional(),
        _hasCredential: z.boolean().optional(),
        _client: z.number().optional(),
        _received: z.enum(['complete', 'cut', 'abandoned', 'open']).optional(),
        _fault: z.string().optional(),
        _name: z.string().optional(),
        _operation: z.string().optional(),
        request: z.looseObject({
          method: z.string(),
          url: z.url(),
          headers,
          postData: z.looseObject({ text: z.string().optional(), params: z.array(parameter).optional() }).optional(),
        }),
        response: z.looseObject({
          status: z.int(),
          headers,
          content: z.looseObject({ text: z.string().optional(), encoding: z.string().optional() }).default({}),
        }),
      }),
    ),
  }),
})
type Entry = z.infer<typeof archive>['log']['entries'][number]

/** Reads the exchanges of an HTTP archive, of this program or of another one, such as a browser. */
export function readHar(file: string, profile: ApiProfile, nameRequest: NameRequest): Exchange[] {
  const { success, data, error } = archive.safeParse(readJson(file))
  if (!success) {
    const [first] = error.issues
    throw new Failure(`${file} is not an HTTP archive: ${first?.path.join('.')}: ${first?.message}.`, exitCodes.misused)
  }
  const mask = createMask(profile.rules.credentials?.inAddress)
  const numberOfClient = createNumbers()
  const numberOfConnection = createNumbers()
  const toExchange = (entry: Entry, index: number): Exchange => {
    const { request, response, connection, _client, _received, _fault, _name, _operation } = entry
    const requestHeaders = byName(request.headers)
    const { origin, pathname, search } = new URL(request.url)
    const text = textOf(request.postData)
    const masked = mask(pathname + search)
    const credential = credentialOf(requestHeaders, profile.credentials)
    const digest =
      text === '' || text.startsWith('sha256:')
        ? { body: text || undefined }
        : digestBody(Buffer.from(text), profile.rules.repeats?.field)
    const arrivedMs = Date.parse(entry.startedDateTime)
    const isOurs = _received !== undefined
    const received = _received ?? (response.status > 0 ? 'complete' : 'cut')
    return {
      id: index + 1,
      // In recordings of others there may be several hosts: what one limits or repeats is nothing to another.
      client: isOurs ? _client : numberOfClient(`${origin} ${credential}`),
      // Other programs put a port there, or a connection of many streams.
      connection: isOurs && typeof connection === 'string' ? numberOfConnection(connection) : undefined,
      method: request.method,
      target: masked.text,
      ...((entry._hasCredential || masked.hasCredential) && { hasCredential: true }),
      operation:
        _operation ??
        nameRequest({
          method: request.method,
          path: pathname,
          query: search.slice(1),
          headers: requestHeaders,
          body: text,
        }),
      headers: requestHeaders,
      name: _name,
      ...digest,
      ...(entry._bodyCut && { bodyCut: true }),
      received,
      status: response.status > 0 ? response.status : null,
      responseHeaders: byName(response.headers),
      responseBody: responseTextOf(response.content),
      arrivedMs,
      apiArrivedMs: arrivedMs,
      durationMs: received === 'open' ? null : Math.max(0, entry.time),
      fault: _fault,
    }
  }
  return inOrder(data.log.entries.filter(isSent).map(toExchange))
}

/** Whether anything may have reached the server: browsers also record requests that they did not send. */
const isSent = ({ _error = '' }: Entry): boolean => !/REFUSED|NOT_RESOLVED|BLOCKED|DISCONNECTED|ENOTFOUND/.test(_error)

/** The body, or the fields of a form. */
const textOf = ({ text, params = [] }: Entry['request']['postData'] = {}): string =>
  text ?? new URLSearchParams(params.map(({ name, value }): [string, string] => [name, value])).toString()

const responseTextOf = ({ text, encoding }: Entry['response']['content']): string | undefined =>
  text === undefined || encoding !== 'base64' ? text : Buffer.from(text, 'base64').toString()

const byName = (all: readonly { readonly name: string; readonly value: string }[]): Record<string, string> => {
  const grouped = Map.groupBy(all, ({ name }) => name.toLowerCase())
  return Object.fromEntries([...grouped].map(([name, values]) => [name, values.map(({ value }) => value).join(', ')]))
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}.`, exitCodes.misused)
  }
}
