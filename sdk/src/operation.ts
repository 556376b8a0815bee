// The operations of the description as types: an unknown path, body or query does not compile.
import type { paths } from './schema.ts'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]

type Operation<M extends Method, P extends keyof paths> = paths[P][M]

declare const etag: unique symbol
/** A result whose ETag the client knows, so it can be passed as `ifMatch` and `known`: of a single resource, not of a list. */
export type Tagged<T extends object = object> = T & { readonly [etag]: true }

type Json<A> = A extends { content: { 'application/json': infer J extends object } } ? J : undefined
type Result<A, J> = A extends { headers: { ETag: string } } ? Tagged<J & object> : J
type Success<R> = R[keyof R & (200 | 201 | 202 | 204)]
export type ApiResponse<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R } ? Result<Success<R>, Json<Success<R>>> : never

export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined

export type Params<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { path: infer V } } ? V : undefined

/** A single value may stand for a list. */
type OneOrMany<V> = V extends readonly (infer Item)[] ? Item | readonly Item[] : V
export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } }
    ? { [K in keyof NonNullable<Q>]: OneOrMany<NonNullable<Q>[K]> | undefined }
    : undefined

/** These fields may be given as a Date. */
export type WithDates<T, Name extends keyof T> = { [K in keyof T]: K extends Name ? T[K] | Date : T[K] }

/** A Date wherever text is. The parameters of methods say which of them are times. */
export type AllowDates<T> = { [K in keyof T]: string extends T[K] ? T[K] | Date : T[K] }
