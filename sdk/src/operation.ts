// The operations of the description as types: an unknown path, body or query does not compile.
import type { paths } from './schema.ts'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]

type Operation<M extends Method, P extends keyof paths> = paths[P][M]

type Json<A> = A extends { content: { 'application/json': infer J } } ? J : undefined
export type Answer<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202 | 204)]> : never

export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined

export type Params<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { path: infer V } } ? V : undefined

/** A single value may stand for a list. */
type OneOrMany<V> = V extends readonly (infer Item)[] ? Item | readonly Item[] : V
export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } }
    ? { [K in keyof NonNullable<Q>]: OneOrMany<NonNullable<Q>[K]> }
    : undefined
