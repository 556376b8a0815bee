import type { Service } from '../../server/test/harness/service.ts'
import { PetStore, type PetStoreOptions } from '../src/index.ts'
import { virtualTime } from './virtual-time.ts'

/** What a call fails with; undefined if it succeeds. */
export const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

/** Something that happens to a request, or to its response, on the way. */
export type Fault = (send: () => Promise<Response>) => Promise<Response>

/** Creates an administrator's client whose first requests meet these faults, one each. */
export const createFaultyClients =
  (service: Service) =>
  (faults: readonly Fault[], options: Partial<PetStoreOptions> = {}) => {
    const time = virtualTime(service.clock)
    const sent: Headers[] = []
    const left = [...faults]
    const petstore = new PetStore({
      baseUrl: service.url,
      apiKey: service.adminSecret,
      ...time,
      fetch: (url, init) => {
        sent.push(new Headers(init.headers))
        const send = () => time.fetch(url, init)
        return (left.shift() ?? ((through) => through()))(send)
      },
      ...options,
    })
    return { petstore, sent, time }
  }
