import type { StoreSummary } from '@petstore/sdk'
import type { ComponentChildren } from 'preact'
import { reloadScreens } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Icon } from '../parts/icon.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { whyOff } from './webhook-off.ts'

/** What someone should look at, each with what to do about it. Nothing is shown if all is well. */
export function Attention({
  summary: { bannedKeys = [], failingWebhooks = [], outOfStock, lowStock, lowStockMax },
}: {
  summary: StoreSummary
}) {
  // `lowStock` includes pets that are out of stock.
  const runningLow = lowStock - outOfStock
  if (bannedKeys.length + failingWebhooks.length + lowStock === 0) return null
  return (
    <Card id="attention" title="Needs attention" tone="warn">
      <ul class="plain items" aria-labelledby="attention">
        {bannedKeys.map(({ id, name, ban }) => (
          <Item
            key={`key ${id}`}
            action={
              <button
                type="button"
                class="quiet small"
                aria-label={`Lift the ban on ${name}`}
                onClick={() => liftBan(id)}
              >
                Lift the ban
              </button>
            }
          >
            <a href={hrefOf(`/keys/${id}`)}>{name}</a> is banned
            {ban && (
              <>
                ; the ban ends <Time at={ban.until} />
              </>
            )}
          </Item>
        ))}
        {failingWebhooks.map(({ id, url, active, ...webhook }) => (
          <Item
            key={`webhook ${id}`}
            action={
              <a class="button quiet small" href={hrefOf(`/webhooks/${id}`, { state: active ? '' : 'failed' })}>
                Show deliveries<span class="for-screen-readers"> to {url}</span>
              </a>
            }
          >
            <a href={hrefOf(`/webhooks/${id}`)}>{url}</a>{' '}
            {active ? 'is failing' : ['is off', whyOff(webhook)].filter(Boolean).join(': ')}
          </Item>
        ))}
        {outOfStock > 0 && (
          <Item
            action={
              hasScope('inventory:read') && (
                <a class="button quiet small" href={hrefOf('/inventory', { maxQuantity: '0' })}>
                  Add stock
                </a>
              )
            }
          >
            {number(outOfStock)} {outOfStock === 1 ? 'pet has' : 'pets have'} nothing in stock
          </Item>
        )}
        {runningLow > 0 && (
          <Item
            action={
              hasScope('inventory:read') && (
                <a class="button quiet small" href={hrefOf('/inventory', { maxQuantity: String(lowStockMax) })}>
                  Show stock
                </a>
              )
            }
          >
            {number(runningLow)} {runningLow === 1 ? 'pet is' : 'pets are'} running low: {number(lowStockMax)} or fewer
            left
          </Item>
        )}
      </ul>
    </Card>
  )
}

const Item = ({ action, children }: { action: ComponentChildren; children: ComponentChildren }) => (
  <li>
    <Icon name="warning" />
    <span class="grows">{children}</span>
    {action}
  </li>
)

async function liftBan(keyId: number): Promise<void> {
  try {
    await store().keys.unban(keyId)
    toast({ text: 'Ban lifted.' })
    // The button is about to disappear.
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    reloadScreens()
  } catch (error) {
    toastFailure(error)
  }
}
