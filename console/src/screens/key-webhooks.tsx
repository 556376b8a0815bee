import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { hrefOf } from '../router.ts'
import { store } from '../session.ts'

/** The webhooks of a key; it cannot have more than fit on a page. */
export function KeyWebhooks({ keyId }: { keyId: number }) {
  const webhooks = useLoad(String(keyId), (signal) =>
    store().webhooks.list({ keyId, limit: 100 }, { signal }).firstPage(),
  )
  return (
    <Card id="webhooks" title="Webhooks">
      <Show of={webhooks}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">None.</p>
          ) : (
            <ul class="plain items" aria-labelledby="webhooks">
              {items.map(({ id, url, active }) => (
                <li key={id}>
                  <a class="grows" href={hrefOf(`/webhooks/${id}`)}>
                    {url}
                  </a>
                  <Status value={active ? 'active' : 'off'} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Card>
  )
}
