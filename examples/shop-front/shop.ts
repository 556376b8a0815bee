// A shop front in the browser: lists pets, follows their stock and orders them. The SDK does retries, limits and reconnecting.
import { ConflictError, type PetProfile, PetStore } from '@petstore/sdk'

const find = <T extends Element>(selector: string, within: ParentNode = document): T => {
  const found = within.querySelector<T>(selector)
  if (!found) throw new Error(`The page has no ${selector}.`)
  return found
}
const message = find<HTMLElement>('#message')
const rows = new Map<number, HTMLElement>()

find<HTMLFormElement>('#connect').addEventListener('submit', (event) => {
  event.preventDefault()
  const form = new FormData(event.target as HTMLFormElement)
  openShop(String(form.get('url')), String(form.get('key'))).catch(explain)
})

async function openShop(baseUrl: string, apiKey: string): Promise<void> {
  const petstore = new PetStore({ baseUrl, apiKey })
  // Where the log ends now, so that nothing is missed while the list loads.
  const [newest] = await petstore.events.list({ sort: '-id', limit: 1 }).toArray(1)
  const list = find('#pets')
  list.replaceChildren()
  for await (const pet of petstore.pets.profiles({ limit: 50 })) list.append(createRow(petstore, pet))
  message.textContent = ''
  find('#connect').remove()
  followStock(petstore, newest?.id).catch(explain)
}

function createRow(petstore: PetStore, pet: PetProfile): HTMLElement {
  const row = find<HTMLTemplateElement>('#pet').content.cloneNode(true) as DocumentFragment
  const item = find<HTMLElement>('li', row)
  find('strong', item).textContent = pet.name
  find('.category', item).textContent = pet.category.name
  const button = find<HTMLButtonElement>('button', item)
  button.setAttribute('aria-label', `Order ${pet.name}`)
  button.addEventListener('click', () => order(petstore, pet, button).catch(explain))
  rows.set(pet.id, item)
  showStock(item, pet.stock, pet.status)
  return item
}

function showStock(item: HTMLElement, stock: number, status: string): void {
  const canOrder = stock > 0 && status === 'available'
  find('output', item).textContent = canOrder ? `${stock} in stock` : status
  item.classList.toggle('gone', !canOrder)
}

async function order(petstore: PetStore, pet: PetProfile, button: HTMLButtonElement): Promise<void> {
  button.disabled = true
  try {
    const { id } = await petstore.store.orders.place({ petId: pet.id })
    message.textContent = `Order ${id} is placed: ${pet.name} is yours.`
  } catch (error) {
    // A 409: someone was faster. The code says what happened; the message is for people.
    if (!(error instanceof ConflictError)) throw error
    message.textContent = `Sorry, ${pet.name} cannot be ordered: ${error.message} (409 ${error.code})`
  } finally {
    button.disabled = false
  }
}

/** Shows every change of stock as it happens, including those made by other clients. */
async function followStock(petstore: PetStore, after: string | undefined): Promise<void> {
  for await (const event of petstore.events.follow({ after, type: ['inventory.*'] })) {
    if (event.type !== 'inventory.changed') continue
    const { petId, quantity, status } = event.data
    const item = rows.get(petId)
    if (item) showStock(item, quantity, status)
  }
}

function explain(error: unknown): void {
  message.textContent = error instanceof Error ? error.message : String(error)
}
