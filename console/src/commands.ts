import { docsUrl } from './base-url.ts'
import { openShortcuts } from './parts/shortcuts.tsx'
import { hrefOf, navigate } from './router.ts'
import { actions, screens } from './screens.ts'
import { hasScope, signOut, store } from './session.ts'
import { switchTheme } from './theme.ts'
import { confirmLoss } from './unsaved.ts'

export interface Command {
  readonly name: string
  readonly kind: string
  readonly run: () => void
}

const to =
  (path: string, values = {}) =>
  () =>
    navigate(hrefOf(path, values))

const leaveFor = (href: string) => () => confirmLoss(() => location.assign(href))

/** Screens, and actions that work everywhere. */
export const fixedCommands = (): Command[] => [
  ...screens
    .filter(({ scope }) => !scope || hasScope(scope))
    .map(({ path, name }) => ({ name, kind: 'Go to', run: to(path) })),
  ...actions
    .filter(({ scope }) => hasScope(scope))
    .map(({ name, path, dialog }) => ({ name, kind: 'Run', run: to(path, { do: dialog }) })),
  { name: 'Documentation: reference', kind: 'Docs', run: leaveFor(docsUrl) },
  { name: 'Documentation: guides', kind: 'Docs', run: leaveFor(`${docsUrl}/guides`) },
  { name: 'Switch between light and dark colours', kind: 'Run', run: switchTheme },
  { name: 'Keyboard shortcuts', kind: 'Run', run: openShortcuts },
  { name: 'Sign out', kind: 'Run', run: () => confirmLoss(signOut) },
]

/** The buttons of the current screen: what can be done with the item or the list. */
export const screenCommands = (): Command[] =>
  [...document.querySelectorAll<HTMLButtonElement>('main .heading button, main .card > header button')]
    .filter((button) => !button.disabled && button.checkVisibility({ visibilityProperty: true }))
    .map((button) => ({
      name: button.ariaLabel ?? button.textContent?.trim() ?? '',
      kind: 'On this screen',
      run: () => button.click(),
    }))

const things = [
  { word: 'order', name: 'Order', path: '/orders', scope: 'orders:read' },
  { word: 'pet', name: 'Pet', path: '/pets', scope: 'pets:read' },
  { word: 'key', name: 'API key', path: '/keys', scope: 'keys:manage' },
  { word: 'webhook', name: 'Webhook', path: '/webhooks', scope: 'webhooks:manage' },
] as const

/** `16` may be a thing of any kind; `order 16` names one. */
function byNumber(text: string): Command[] {
  const [, word = '', id = ''] = /^([a-z]*)\s*#?(\d{1,15})$/i.exec(text) ?? []
  return things
    .filter((thing) => id !== '' && hasScope(thing.scope) && thing.word.startsWith(word.toLowerCase()))
    .map(({ name, path }) => ({ name: `${name} ${id}`, kind: 'Go to', run: to(`${path}/${id}`) }))
}

const keysMax = 1_000

async function bannedKeys(text: string, signal: AbortSignal): Promise<Command[]> {
  if (text.length < 3 || !'banned keys'.startsWith(text.toLowerCase()) || !hasScope('keys:manage')) return []
  const banned: Command[] = []
  let count = 0
  for await (const { id, name, ban } of store().keys.list({ sort: '-id', limit: 100 }, { signal })) {
    if (ban) banned.push({ name, kind: 'Banned key', run: to(`/keys/${id}`) })
    if (++count === keysMax) break
  }
  return banned
}

async function petsNamed(text: string, signal: AbortSignal): Promise<Command[]> {
  if (!hasScope('pets:read')) return []
  const { items } = await store().pets.list({ q: text, limit: 6 }, { signal }).firstPage()
  return items.map(({ id, name }) => ({ name, kind: `Pet ${id}`, run: to(`/pets/${id}`) }))
}

/** What the text may refer to besides screens and actions: a thing by its number, banned keys, pets by name. */
export async function findThings(text: string, signal: AbortSignal): Promise<Command[]> {
  const found = await Promise.all([bannedKeys(text, signal), petsNamed(text, signal)])
  return [...byNumber(text), ...found.flat()]
}
