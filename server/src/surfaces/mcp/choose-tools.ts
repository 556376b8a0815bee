import type { Route } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'

/** The operations that are tools: all but deprecated ones, streams, and those that another one covers. */
export const chooseTools = (routes: readonly Route[]): Route[] =>
  routes.filter(
    ({ operation }) =>
      !operation.deprecation && !traitsOf(operation).takesLastEventId && operation.coveredBy === undefined,
  )
