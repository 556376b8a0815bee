import { signal } from '@preact/signals'
import { hrefOf, navigate, params, path } from './router.ts'

// What a user chose for each list, kept in this browser: the columns that are hidden, and saved views.

/** The filters and the sort order of a list with its columns, under a name. */
interface View {
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly hidden: readonly string[]
}

interface Choices {
  readonly hidden: readonly string[]
  readonly views: readonly View[]
}

const storageName = 'petstore.lists'
/** What an address has besides filters and sort order. */
const passing: readonly string[] = ['cursor', 'do', 'mode']

function read(): Readonly<Record<string, Choices>> {
  try {
    return JSON.parse(localStorage.getItem(storageName) ?? '{}')
  } catch {
    return {}
  }
}

const all = signal(read())

addEventListener('storage', ({ key }) => {
  if (key === storageName) all.value = read()
})

/** The choices for the list on the screen. */
const choices = (): Choices => ({ hidden: [], views: [], ...all.value[path.value] })

function change(changes: Partial<Choices>): void {
  all.value = { ...all.value, [path.value]: { ...choices(), ...changes } }
  localStorage.setItem(storageName, JSON.stringify(all.value))
}

export const isHidden = (title: string): boolean => choices().hidden.includes(title)
export const hasHidden = (): boolean => choices().hidden.length > 0
export const showAllColumns = (): void => change({ hidden: [] })

export function showColumn(title: string, isShown: boolean): void {
  const others = choices().hidden.filter((one) => one !== title)
  change({ hidden: isShown ? others : [...others, title].sort() })
}

const valuesHere = (): View['values'] =>
  Object.fromEntries([...params.value].filter(([name]) => !passing.includes(name)).sort())

const contentOf = ({ values, hidden }: Omit<View, 'name'>): string => JSON.stringify([Object.entries(values), hidden])

export const views = (): readonly View[] => choices().views

/** The view that the list shows now. */
export function currentView(): View | undefined {
  const here = contentOf({ values: valuesHere(), hidden: choices().hidden })
  return views().find((view) => contentOf(view) === here)
}

/** Saves what the list shows now, and replaces a view with the same name. */
export function saveView(name: string): void {
  const saved = { name, values: valuesHere(), hidden: choices().hidden }
  const others = views().filter((view) => view.name !== name)
  change({ views: [...others, saved].sort((one, other) => one.name.localeCompare(other.name)) })
}

export function deleteView(name: string): void {
  change({ views: views().filter((view) => view.name !== name) })
}

export function openView({ values, hidden }: View): void {
  change({ hidden })
  navigate(hrefOf(path.value, values))
}
