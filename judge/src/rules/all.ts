import type { Profile } from '../profile/profile.ts'
import { backOff } from './back-off.ts'
import { bans } from './bans.ts'
import { conditions } from './conditions.ts'
import { credentials } from './credentials.ts'
import { deprecation } from './deprecation.ts'
import { jitter } from './jitter.ts'
import { pages } from './pages.ts'
import { rejections } from './rejections.ts'
import { repeats } from './repeats.ts'
import { retries } from './retries.ts'
import { retryAfter } from './retry-after.ts'
import type { Rule } from './rule.ts'
import { streams } from './streams.ts'
import { signatures, webhooks } from './webhooks.ts'

/** All rules, in the order of the report. */
export const rules: readonly Rule[] = [
  retryAfter,
  bans,
  repeats,
  pages,
  credentials,
  backOff,
  jitter,
  retries,
  rejections,
  conditions,
  streams,
  webhooks,
  signatures,
  deprecation,
]

/** Whether the profile says what the rule needs to know. */
export const applies = ({ needs }: Rule, profile: Profile): boolean =>
  needs.every((entry) => profile[entry] !== undefined)
