/** Parameters of the path, the body or one field of it, the query: in this order a call takes them. */
export interface SdkCall {
  readonly call: string
  readonly bodyField?: string
  readonly isList: boolean
}
/** A request, as far as it is shown. */
export interface ShownRequest {
  readonly method: string
  /** Where the service is. */
  readonly base: string
  /** With its parameters filled in. */
  readonly path: string
  /** The values of the parameters of the path, in their order. */
  readonly params: readonly string[]
  /** In their order; `bare` is what is no string, such as a number. */
  readonly query: readonly { readonly name: string; readonly value: string; readonly bare: boolean }[]
  /** Besides the key, the type of the body and an Idempotency-Key that nobody chose. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
  readonly type?: string | undefined
  /** What the answer holds. */
  /** The call of the SDK, where it has one. */
  readonly sdk?: SdkCall | undefined
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
export function typescriptSample(request: ShownRequest): string
export function pythonSample(request: ShownRequest): string
declare const text: string
export default text
