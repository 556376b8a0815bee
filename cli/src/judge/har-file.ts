import { readFileSync, writeFileSync } from 'node:fs'
import { type Exchange, inOrder } from '@petstore/judge/history'
import { toHar } from '@petstore/judge/output/har'
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { digestBody } from './body-digest.ts'
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
/** The fields that are read. Those with an underscore are only in recordings of this program. */
const archive = z.looseObject({
  log: z.looseObject({
    entries: z.array(
      z.looseObject({
        startedDateTime: z.iso.datetime({ offset: true }),
        time: z.number(),
        connection: z.string().optional(),
        _client: z.number().optional(),
        _received: z.enum(['complete', 'cut', 'abandoned', 'open']).optional(),
        _fault: z.string().optional(),
        _name: z.string().optional(),
        _operation: z.string().optional(),
        request: z.looseObject({
          method: z.string(),
          url: z.url(),
          headers,
          postData: z.looseObject({ text: z.string().default('') }).optional(),
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
  const numberOfClient = createNumbers()
  const numberOfConnection = createNumbers()
  const toExchange = (entry: Entry, index: number): Exchange => {
    const { request, response, connection, _client, _received, _fault, _name, _operation } = entry
    const requestHeaders = byName(request.headers)
    const { pathname, search } = new URL(request.url)
    const text = request.postData?.text ?? ''
    const credential = credentialOf(requestHeaders, profile.credentials)
    const digest =
      text === '' || text.startsWith('sha256:')
        ? { body: text || undefined }
        : digestBody(Buffer.from(text), profile.rules.repeats?.field)
    const arrivedMs = Date.parse(entry.startedDateTime)
    const received = _received ?? (response.status > 0 ? 'complete' : 'cut')
    return {
      id: index + 1,
      client: _client ?? (credential === '' ? undefined : numberOfClient(credential)),
      connection: connection === undefined ? undefined : numberOfConnection(connection),
      method: request.method,
      target: pathname + search,
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
      received,
      status: response.status > 0 ? response.status : null,
      responseHeaders: byName(response.headers),
      responseBody: response.content.encoding === 'base64' ? undefined : response.content.text,
      arrivedMs,
      apiArrivedMs: arrivedMs,
      durationMs: received === 'open' ? null : Math.max(0, entry.time),
      fault: _fault,
    }
  }
  return inOrder(data.log.entries.map(toExchange))
}

const byName = (all: readonly { readonly name: string; readonly value: string }[]): Record<string, string> => {
  const grouped = Map.groupBy(all, ({ name }) => name.toLowerCase())
  return Object.fromEntries([...grouped].map(([name, values]) => [name, values.map(({ value }) => value).join(', ')]))
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}.`, exitCodes.misused)
  }
}
