import type { Webhook } from '@petstore/sdk'

const reasons: Readonly<Record<string, string>> = {
  gone: 'its receiver said that it is gone',
  failing: 'it failed for five days',
}

/** Why the service switched a webhook off, if it did. */
export const whyOff = ({ disabledReason }: Pick<Webhook, 'disabledReason'>): string | undefined =>
  disabledReason && (reasons[disabledReason] ?? disabledReason)
