// What the catalogue and the store should do, in the fewest words: maps, no transactions, no time.

export type Status = 'available' | 'pending' | 'sold'
export interface Pet {
  name: string
  categoryId: number
  status: Status
  held: boolean
  /** Undefined: no inventory entry. */
  stock: number | undefined
}
export interface Order {
  owner: number
  petId: number
  quantity: number
  complete: boolean
}

/** Each change answers with the code of its refusal, or with nothing. */
export class Model {
  readonly categories = new Map<number, { name: string }>()
  readonly pets = new Map<number, Pet>()
  readonly orders = new Map<number, Order>()

  /** A caller sees its own orders; undefined sees all. */
  order(id: number, caller: number | undefined): Order | undefined {
    const order = this.orders.get(id)
    return caller === undefined || order?.owner === caller ? order : undefined
  }
  isOpen = (petId: number): boolean => [...this.orders.values()].some((it) => it.petId === petId && !it.complete)
  stockSays = (petId: number): Status =>
    (this.pets.get(petId)?.stock ?? 0) > 0 ? 'available' : this.isOpen(petId) ? 'pending' : 'sold'

  deleteCategory(id: number): string | undefined {
    if (!this.categories.has(id)) return 'category_not_found'
    if ([...this.pets.values()].some(({ categoryId }) => categoryId === id)) return 'category_in_use'
    this.categories.delete(id)
    return undefined
  }
  addPet(id: number, name: string, categoryId: number, status: Status = 'available'): string | undefined {
    if (!this.categories.has(categoryId)) return 'unknown_category'
    this.pets.set(id, { name, categoryId, status, held: status === 'pending', stock: status === 'sold' ? 0 : 1 })
    return undefined
  }
  changePet(id: number, to: { name?: string; categoryId?: number; status?: Status }): string | undefined {
    const pet = this.pets.get(id)
    if (!pet) return 'pet_not_found'
    const held = to.status !== undefined && to.status !== this.stockSays(id)
    if (held && (to.status === 'available' || (pet.status === 'sold' && to.status === 'pending')))
      return 'invalid_status_transition'
    if (to.categoryId !== undefined && !this.categories.has(to.categoryId)) return 'unknown_category'
    Object.assign(pet, to, to.status && { held })
    return undefined
  }
  deletePet(id: number): string | undefined {
    if (!this.pets.has(id)) return 'pet_not_found'
    if (this.isOpen(id)) return 'pet_has_open_orders'
    this.pets.delete(id)
    return undefined
  }
  setStock(id: number, stock: number | undefined): void {
    const pet = this.pets.get(id) as Pet
    pet.stock = stock
    if (!pet.held) pet.status = this.stockSays(id)
  }
  adjust(id: number, delta: number): string | undefined {
    const stock = this.pets.get(id)?.stock
    if (stock === undefined) return 'inventory_not_found'
    if (stock + delta < 0) return 'insufficient_stock'
    this.setStock(id, stock + delta)
    return undefined
  }
  place(id: number, order: Order): string | undefined {
    const pet = this.pets.get(order.petId)
    if (!pet) return 'unknown_pet'
    if (pet.status !== 'available') return 'pet_not_available'
    if ((pet.stock ?? 0) < order.quantity) return 'insufficient_stock'
    this.orders.set(id, order)
    this.setStock(order.petId, (pet.stock ?? 0) - order.quantity)
    return undefined
  }
  changeOrder(id: number, caller: number | undefined, to: { quantity?: number; complete?: boolean }) {
    const order = this.order(id, caller)
    if (!order) return 'order_not_found'
    if (order.complete) return 'order_complete'
    const { stock } = this.pets.get(order.petId) as Pet
    const more = (to.quantity ?? order.quantity) - order.quantity
    if (more > 0 && more > (stock ?? 0)) return 'insufficient_stock'
    Object.assign(order, to)
    this.setStock(order.petId, more === 0 ? stock : (stock ?? 0) - more)
    return undefined
  }
  cancel(id: number, caller: number | undefined): string | undefined {
    const order = this.order(id, caller)
    if (!order) return 'order_not_found'
    if (order.complete) return 'order_complete'
    this.orders.delete(id)
    this.setStock(order.petId, (this.pets.get(order.petId)?.stock ?? 0) + order.quantity)
    return undefined
  }
}
