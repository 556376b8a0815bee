/** An SDK method. Its arguments are the path parameters, the body, then the query. */
export interface SdkCall {
  readonly call: string
  readonly isList: boolean
}
/** A request as samples show it. */
export interface ShownRequest {
  readonly method: string
  /** The address of the service. */
  readonly base: string
  /** The path with its parameters filled in. */
  readonly path: string
  /** The values of the path parameters, in order. */
  readonly params: readonly string[]
  /** In order; `bare` values are written without quotes, such as numbers. */
  readonly query: readonly { readonly name: string; readonly value: string; readonly bare: boolean }[]
  /** Headers other than the key, the content type and a generated Idempotency-Key. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
  readonly type?: string | undefined
  /** The SDK method, if there is one. */
  readonly sdk?: SdkCall | undefined
  readonly reads: 'json' | 'stream' | 'nothing'
}
export interface Language {
  readonly id: string
  readonly name: string
  /** The grammar for highlighting. */
  readonly colour: string
  readonly sample: (request: ShownRequest) => string
}
export const languages: readonly Language[]
export function curlSample(request: ShownRequest): string
export function fetchSample(request: ShownRequest): string
export function javascriptSample(request: ShownRequest): string
export function pythonSample(request: ShownRequest): string
declare const text: string
export default text
