import { ApiError, apiErrors } from './errors.ts'

/** The name of a permission. Features declare theirs, with what each allows a key to do. */
export type Scope = string

interface RequiredScope {
  readonly scope?: Scope
  readonly orScope?: Scope
}

/** Whether these scopes include one of the operation's. */
export const hasScope = ({ scope, orScope }: RequiredScope, scopes: ReadonlySet<Scope>): boolean =>
  !scope || scopes.has(scope) || (orScope !== undefined && scopes.has(orScope))

/** Throws if the caller has neither of the operation's scopes. */
export function mustHaveScope(required: RequiredScope, scopes: ReadonlySet<Scope>): void {
  if (hasScope(required, scopes)) return
  const names = [required.scope, required.orScope].filter(Boolean).map((scope) => `\`${scope}\``)
  throw lacksScope(`${names.join(' or ')}, which this operation requires`)
}

/** The key lacks a scope: which one, and for what. */
export const lacksScope = (scope: string): ApiError =>
  new ApiError(apiErrors.insufficient_scope, `This key lacks the scope ${scope}.`)
