import type { Category, PetProfile } from '@petstore/sdk'

/** Categories may share a name; then the number tells them apart. */
export const CategoryName = ({ category, isShared }: { category: Category; isShared: boolean }) => (
  <span dir="auto" title={category.description}>
    {category.name} {isShared && <small class="soft">#{category.id}</small>}
  </span>
)

/** The names that belong to several categories among these pets. */
export function findSharedNames(pets: readonly PetProfile[]): ReadonlySet<string> {
  const ids = new Map<string, number>()
  const shared = new Set<string>()
  for (const { category } of pets) {
    if ((ids.get(category.name) ?? category.id) !== category.id) shared.add(category.name)
    ids.set(category.name, category.id)
  }
  return shared
}
