/** A request, as far as it is shown. */
export interface ShownRequest {
  readonly method: string
  /** The whole address, with the query. */
  readonly address: string
  /** Besides the key, the type of the body and an Idempotency-Key that nobody chose. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
  readonly type?: string | undefined
  /** What the answer holds. */
  readonly reads: 'json' | 'stream' | 'nothing'
}
export interface Language {
  readonly id: string
  readonly name: string
  /** The grammar that colours it. */
  readonly colour: string
  readonly sample: (request: ShownRequest) => string
}
export const languages: readonly Language[]
export function curlSample(request: ShownRequest): string
export function fetchSample(request: ShownRequest): string
export function pythonSample(request: ShownRequest): string
declare const text: string
export default text
