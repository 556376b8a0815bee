import type { Scope } from '@petstore/sdk'
import type { ComponentChildren } from 'preact'
import { hasScope } from '../session.ts'

/** Says what a key without this scope cannot see, so that a short list is not taken for all there is. */
export const Unseen = ({ scope, children }: { scope: Scope; children: ComponentChildren }) =>
  hasScope(scope) ? null : (
    <p class="soft small">
      Your key cannot see {children}: this needs the scope <code>{scope}</code>.
    </p>
  )
