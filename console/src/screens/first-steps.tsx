import { consoleRoot } from '../base-url.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Icon } from '../parts/icon.tsx'
import { hrefOf } from '../router.ts'
import { hasScope, store } from '../session.ts'

// Only for a new shop, which has few pets. For any other shop, this sends no requests.

const newShopMax = 9
const storageName = `petstore-console-first-steps ${consoleRoot}`
const doneText = 'done'

interface Step {
  readonly name: string
  readonly href: string
  readonly why: string
  readonly isDone: boolean
}

/** Loads only what the number of pets does not show. */
async function loadSteps(pets: number, signal: AbortSignal): Promise<Step[]> {
  const shop = store()
  const [categories, stock, keys, webhooks] = await Promise.all([
    pets > 0 ? undefined : shop.categories.list({ limit: 1 }, { signal }).firstPage(),
    pets > 0 ? shop.store.inventory.list({ limit: newShopMax }, { signal }).firstPage() : undefined,
    shop.keys.list({ limit: 2 }, { signal }).firstPage(),
    shop.webhooks.list({ limit: 1 }, { signal }).firstPage(),
  ])
  return [
    {
      name: 'Create a category',
      href: hrefOf('/categories', { do: 'new' }),
      why: 'Every pet belongs to one, such as Dogs or Fish.',
      isDone: pets > 0 || categories?.items.length === 1,
    },
    {
      name: 'Create a pet',
      href: hrefOf('/pets', { do: 'new' }),
      why: 'One by one, or many from a file.',
      isDone: pets > 0,
    },
    {
      name: 'Count your stock',
      href: hrefOf('/inventory'),
      why: 'A new pet has one in stock.',
      isDone: stock?.items.some(({ quantity }) => quantity > 1) === true,
    },
    {
      name: 'Create an API key',
      href: hrefOf('/keys', { do: 'new' }),
      why: 'For your app or till, with only the rights that it needs.',
      isDone: keys.items.length > 1,
    },
    {
      name: 'Add a webhook',
      href: hrefOf('/webhooks', { do: 'new' }),
      why: 'Your system is notified of every order.',
      isDone: webhooks.items.length > 0,
    },
  ]
}

const scopes = ['pets:write', 'inventory:write', 'keys:manage', 'webhooks:manage'] as const

/** What to do first in a new shop, for a key that may do all of it. Steps are ticked as they are done. */
export const FirstSteps = ({ pets }: { pets: number }) =>
  pets <= newShopMax && scopes.every(hasScope) && sessionStorage.getItem(storageName) !== doneText ? (
    <Steps pets={pets} />
  ) : null

function Steps({ pets }: { pets: number }) {
  const { data: steps = [] } = useLoad(String(pets), async (signal) => {
    const loaded = await loadSteps(pets, signal)
    if (loaded.every(({ isDone }) => isDone)) sessionStorage.setItem(storageName, doneText)
    return loaded
  }).value
  const left = steps.filter(({ isDone }) => !isDone).length
  if (left === 0) return null
  return (
    <Card id="first-steps" title="Set up your shop" wide aside={<small class="soft">{left} left</small>}>
      <ol class="plain steps">
        {steps.map(({ name, href, why, isDone }) => (
          <li key={name} class={isDone ? 'done' : undefined}>
            <Icon name={isDone ? 'check' : 'circle'} />
            {isDone ? (
              <span>
                {name} <span class="for-screen-readers">, done</span>
              </span>
            ) : (
              <a href={href}>{name}</a>
            )}
            <span class="soft">{why}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
