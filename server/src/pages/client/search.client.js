import { element, root } from './elements.client.js'

// ---- Search: everything the pages say, from an index that came with them.

const groupNames = { operation: 'Operations', field: 'Fields', header: 'Headers', error: 'Errors', guide: 'Guides' }
const shownMax = 6
let entries
let finder

async function loadIndex() {
  entries ??= fetch(`${root}/docs/search.json`).then((answer) => answer.json())
  return entries
}

/** How well an entry fits, 0 when a word is nowhere in it. A name that is the words counts most, then one that begins so. */
function fit({ title, about, words = '' }, wanted) {
  const name = title.toLowerCase()
  const rest = `${about} ${words}`.toLowerCase()
  const spread = name.replace(/[-_]/g, ' ')
  if (name === wanted.join(' ')) return 100
  let sum = 0
  for (const word of wanted) {
    if (name.startsWith(word)) sum += 10
    else if (spread.includes(` ${word}`)) sum += 8
    else if (name.includes(word)) sum += 6
    else if (about.toLowerCase().includes(word)) sum += 3
    else if (rest.includes(word)) sum += 1
    else return 0
  }
  return sum / wanted.length
}

async function found(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  const fitting = (await loadIndex())
    .map((entry) => ({ entry, score: fit(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  const groups = new Map()
  for (const { entry } of fitting) {
    const group = groups.get(entry.kind) ?? []
    groups.set(entry.kind, group)
    if (group.length < shownMax) group.push(entry)
  }
  return [...groups]
}

function makeFinder() {
  const list = element('div', { id: 'found', className: 'found', role: 'listbox', ariaLabel: 'Results' })
  const input = element('input', {
    id: 'search',
    type: 'search',
    placeholder: 'Operations, fields, headers, errors, guides',
    autocomplete: 'off',
    spellcheck: false,
    role: 'combobox',
    ariaLabel: 'Search the documentation',
    ariaExpanded: 'false',
    ariaAutoComplete: 'list',
  })
  input.setAttribute('aria-controls', 'found')
  const note = element('p', { className: 'found-note', role: 'status' }, '')
  const close = element('button', { type: 'button', className: 'quiet' }, 'Close')
  const dialog = element('dialog', { className: 'search', ariaLabel: 'Search' })
  dialog.append(element('div', { className: 'search-head' }, input, close), list, note)
  document.body.append(dialog)

  let latest = 0
  async function update() {
    const turn = ++latest
    const groups = await found(input.value)
    if (turn !== latest) return
    list.replaceChildren(...groups.map(([kind, group]) => groupOf(kind, group)))
    input.ariaExpanded = String(groups.length > 0)
    note.textContent =
      input.value.trim() === ''
        ? 'Arrow keys choose, Enter opens, Esc closes.'
        : groups.length === 0
          ? 'Nothing found.'
          : ''
    choose(list.querySelector('[role=option]'))
  }
  function choose(option) {
    list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false')
    if (!option) return input.removeAttribute('aria-activedescendant')
    option.setAttribute('aria-selected', 'true')
    option.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', option.id)
  }
  function step(by) {
    const options = [...list.querySelectorAll('[role=option]')]
    const at = options.findIndex((option) => option.ariaSelected === 'true')
    choose(options[(at + by + options.length) % options.length])
  }
  input.addEventListener('input', update)
  input.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by) step(by)
    // Of itself Escape would only empty the field.
    else if (event.key === 'Escape') dialog.close()
    else if (event.key === 'Enter') list.querySelector('[aria-selected=true]')?.click()
    else return
    event.preventDefault()
  })
  list.addEventListener('click', () => dialog.close())
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  return {
    open() {
      dialog.showModal()
      input.select()
      update()
    },
  }
}

function groupOf(kind, group) {
  const name = element('p', { className: 'found-group', id: `found-${kind}` }, groupNames[kind])
  const box = element('div', { role: 'group' }, name)
  box.setAttribute('aria-labelledby', name.id)
  box.append(
    ...group.map(({ title, about, path }, index) => {
      const parts = [element('strong', {}, title), ' ', element('span', {}, about)]
      return element(
        'a',
        { id: `found-${kind}-${index}`, href: root + path, role: 'option', tabIndex: -1, ariaSelected: 'false' },
        ...parts,
      )
    }),
  )
  return box
}

function openSearch() {
  finder ??= makeFinder()
  finder.open()
}

document.querySelector('.search-open').addEventListener('click', openSearch)
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input, textarea, select')
  const asked = (event.key === '/' && !typing) || (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))
  if (!asked || document.querySelector('dialog[open]')) return
  event.preventDefault()
  openSearch()
})
