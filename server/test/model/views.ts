import { statusOf } from './model.ts'
import type { Category, Order, Pet, Scene, World } from './scene.ts'

const showPet = (w: World, { id, name, categoryId, ...pet }: Pet) => ({
  id,
  name,
  categoryId,
  status: statusOf(w, { id, name, categoryId, ...pet }),
})

/** How each thing looks to who may see it. */
export const views = {
  category: (_: World, category: Category) => category,
  pet: showPet,
  profile: (w: World, pet: Pet) => ({
    ...showPet(w, pet),
    category: w.categories.find(({ id }) => id === pet.categoryId),
    stock: pet.stock ?? 0,
  }),
  item: (w: World, pet: Pet) => ({ petId: pet.id, quantity: pet.stock, status: statusOf(w, pet) }),
  order: (_: World, { owner: __, ...order }: Order) => order,
}

/** What a list of each is made from. */
export const lists = {
  category: ({ categories }: Scene) => categories,
  pet: ({ pets }: Scene) => pets,
  profile: ({ pets }: Scene) => pets,
  item: ({ pets }: Scene) => pets.filter(({ stock }) => stock !== undefined),
  order: ({ orders, mayRead }: Scene) => orders.filter(mayRead),
}

/** The part of a list that was asked for, in the order asked for. */
export function listed(
  list: Record<string, unknown>[],
  wanted: Record<string, unknown>,
  descending: boolean,
): object[] {
  const found = list.filter((item) => Object.entries(wanted).every(([field, value]) => item[field] === value))
  return descending ? found.toReversed() : found
}
