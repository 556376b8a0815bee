import { useLoad } from '../load.ts'
import { loadCategoryNames } from '../names.ts'
import { Bars } from '../parts/bars.tsx'
import { Card } from '../parts/card.tsx'
import { Show } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { useRefresh } from '../refresh.ts'
import { hrefOf } from '../router.ts'
import { store } from '../session.ts'

const categoriesMax = 8
const tones: Record<string, string> = { available: 'good', pending: 'warn', sold: 'muted' }

export function PetNumbers() {
  const numbers = useLoad(
    '',
    async (signal) => {
      const { total, byStatus, byCategory } = await store().pets.counts({}, { signal })
      const largest = [...byCategory].sort((one, other) => other.total - one.total).slice(0, categoriesMax)
      const ids = largest.map(({ categoryId }) => categoryId)
      return { total, byStatus, largest, names: await loadCategoryNames(ids, signal) }
    },
    useRefresh(),
  )
  return (
    <Card id="pets" title="Pets" aside={<a href={hrefOf('/pets')}>All pets</a>}>
      <Show of={numbers}>
        {({ total, byStatus, largest, names }) => (
          <>
            <p class="figure">
              {number(total)} <span class="soft">in the catalogue</span>
            </p>
            <Bars
              label="Pets by status"
              rows={Object.entries(byStatus).map(([status, value]) => ({
                name: status,
                value,
                href: hrefOf('/pets', { status }),
                tone: tones[status] ?? '',
              }))}
            />
            {largest.length > 0 && <h3>By category</h3>}
            <Bars
              label="Pets by category"
              rows={largest.map(({ categoryId, total: value }) => ({
                name: names.get(categoryId) ?? `#${categoryId}`,
                value,
                href: hrefOf('/pets', { categoryId: String(categoryId) }),
              }))}
            />
          </>
        )}
      </Show>
    </Card>
  )
}
