import { element, root } from './elements.client.js'

// ---- Search over all pages, with an index that the server provides.

const groupNames = { operation: 'Operations', field: 'Fields', header: 'Headers', error: 'Errors', guide: 'Guides' }
const shownMax = 6
let indexItems
let finder

async function loadIndex() {
  indexItems ??= fetch(`${root}/docs/search.json`)
    .then((response) => response.json())
    .catch((error) => {
      // The next key tries again.
      indexItems = undefined
      throw error
    })
  return indexItems
}

/** How well an item matches; 0 if a word is missing. An exact title scores highest, then a title that starts with a word. */
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

async function findItems(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  const fitting = (await loadIndex())
    .map((item) => ({ item, score: fit(item, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  const groups = new Map()
  for (const { item } of fitting) {
    const group = groups.get(item.kind) ?? []
    groups.set(item.kind, group)
    if (group.length < shownMax) group.push(item)
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
    const request = ++latest
    const groups = await findItems(input.value).catch(() => undefined)
    if (request !== latest) return
    if (!groups) {
      note.textContent = 'The search could not be loaded. Type again to retry.'
      return
    }
    list.replaceChildren(...groups.map(([kind, group]) => groupOf(kind, group)))
    input.ariaExpanded = String(groups.length > 0)
    note.textContent =
      input.value.trim() === ''
        ? '↑↓ to select, Enter to open, Esc to close.'
        : groups.length === 0
          ? 'No results.'
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
    // By default Escape would only clear the field.
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
  const isTyping = event.target.closest?.('input, textarea, select')
  const isShortcut =
    (event.key === '/' && !isTyping) || (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))
  if (!isShortcut || document.querySelector('dialog[open]')) return
  event.preventDefault()
  openSearch()
})
