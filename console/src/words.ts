// What the forms say, in the words of a shop. The description of the API says it for programs, and fills in the rest.

interface Words {
  readonly label?: string
  readonly help?: string
  /** What to do if it is missing. */
  readonly needed?: string
  /** The usual amounts of a number, to choose from. */
  readonly amounts?: readonly (readonly [value: number, text: string])[]
}

const hour = 3_600
const day = 24 * hour

const oldSecret: Words = {
  label: 'Keep the old secret for',
  help: 'The time you need to give the new one to everything that uses it.',
  amounts: [
    [0, 'not at all'],
    [hour, '1 hour'],
    [day, '1 day'],
    [7 * day, '7 days'],
  ],
}

const pet: Readonly<Record<string, Words>> = {
  name: { help: 'What you call it, such as Thumper.' },
  categoryId: { help: 'The kind of pet. Type to find it.' },
  status: { help: 'Follows the stock. Set it only to put the pet on hold, or to end the hold.' },
}
const category: Readonly<Record<string, Words>> = {
  name: { help: 'A kind of pet, such as Rabbits.' },
  description: { help: 'A short description.' },
}
const order: Readonly<Record<string, Words>> = {
  petId: { help: 'Type a name to find it.' },
  quantity: { help: 'How many to order. They are taken from the stock immediately.' },
  shipDate: { help: 'When the order ships, or shipped.' },
  complete: { help: 'The order has shipped. Completed orders cannot be changed.' },
}
const key: Readonly<Record<string, Words>> = {
  name: { help: 'Who or what uses it, such as Till.' },
  plan: { help: 'How many requests it may send.' },
  preset: { help: 'What it may do: a usual set of permissions.' },
  scopes: { help: 'What it may do. Choose only what it needs.' },
  limits: { help: 'Only for the enterprise plan: the limits you agreed on.' },
  expiresAt: { label: 'Works until', help: 'Leave it empty for a key that never expires.' },
}
const webhook: Readonly<Record<string, Words>> = {
  url: {
    help: 'Where to send events: an https URL that the internet can reach.',
    needed: 'Enter a URL, such as https://shop.example/hooks',
  },
  events: { help: 'What to send. It gets only what this key may see.', needed: 'Choose at least one kind of event' },
  description: { help: 'What it is for, such as Accounting.' },
  active: { help: 'Untick it to pause.' },
}

const words: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  NewPet: pet,
  PetPatch: pet,
  NewCategory: category,
  CategoryPatch: category,
  NewOrder: order,
  OrderPatch: order,
  StockAdjustment: {
    delta: { label: 'How many', help: 'How many came in, or went out: 5 adds five, -2 takes two away.' },
    reason: { label: 'Why', help: 'For the stock history, such as a delivery or a move to the other shop.' },
  },
  InventoryUpdate: {
    quantity: { label: 'Counted', help: 'How many there really are. The stock history shows the difference.' },
  },
  StoreSettingsPatch: {
    lowStockMax: {
      label: 'Running low at',
      help: 'This many or fewer. Webhooks can tell you when stock falls to it: inventory.low.',
    },
  },
  NewApiKey: key,
  ApiKeyPatch: key,
  RotateKey: { graceSeconds: oldSecret },
  RotateWebhook: { graceSeconds: oldSecret },
  NewWebhook: webhook,
  WebhookPatch: webhook,
}

/** The words for a field of a schema, where we have better ones than the description. */
export const wordsFor = (schema: string, field: string): Words => words[schema]?.[field] ?? {}
