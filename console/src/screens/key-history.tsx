import type { ApiKey, Event } from '@petstore/sdk'
import { labelOf } from '../description.ts'
import { searchEvents } from '../event-search.ts'
import { useLoad } from '../load.ts'
import { Card } from '../parts/card.tsx'
import { Show } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Timeline, type TimelineItem } from '../parts/timeline.tsx'
import { hrefOf } from '../router.ts'

const titles: Readonly<Record<string, string>> = {
  'key.created': 'Created',
  'key.updated': 'Changed',
  'key.rotated': 'Secret rotated',
  'key.banned': 'Banned',
  'key.unbanned': 'Ban lifted',
  'key.revoked': 'Revoked',
}

/** What happened to a key: bans, and the changes around them. */
export function KeyHistory({ keyId }: { keyId: number }) {
  const about = `key ${keyId}`
  const events = useLoad(about, (signal) => searchEvents({ type: '', from: '', to: '', about }, '', signal))
  return (
    <Card id="history" title="Bans and changes" aside={<a href={hrefOf('/events', { about })}>Its events</a>}>
      <Show of={events}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">None in the time for which events are retained.</p>
          ) : (
            <Timeline label="Bans and changes" items={items.map(toItem)} />
          )
        }
      </Show>
    </Card>
  )
}

function toItem({ id, type, time, data, previous = {} }: Event): TimelineItem {
  const { ban } = data as ApiKey
  const changed = Object.keys(previous).filter((field) => field !== 'ban')
  return {
    id,
    at: time,
    title: titles[type] ?? type,
    tone: type === 'key.banned' ? 'out' : 'in',
    detail:
      type === 'key.banned' && ban ? (
        <>
          Kept sending after being rejected. Until <Time at={ban.until} hasSeconds />, ban {ban.level} in a row.
        </>
      ) : (
        type === 'key.updated' && changed.map(labelOf).join(', ')
      ),
  }
}
