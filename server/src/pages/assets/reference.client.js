// The reference page: the key, the forms that send requests, the filter and the mark of where the reader is.

const root = document.getElementById('main').dataset.root

// ---- The key: entered once, used by every form, kept until the tab is closed.

const keyInput = document.getElementById('key')
const keyNote = document.getElementById('key-note')
const keyName = 'petstore.key'
const keyNoteAtFirst = keyNote.textContent

keyInput.value = sessionStorage.getItem(keyName) ?? ''
keyInput.addEventListener('input', () => {
  sessionStorage.setItem(keyName, keyInput.value.trim())
  keyNote.textContent = keyNoteAtFirst
})
document.getElementById('key-forget').addEventListener('click', () => {
  sessionStorage.removeItem(keyName)
  keyInput.value = ''
  keyNote.textContent = 'Forgotten.'
})
document.getElementById('key-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  keyNote.textContent = await checkKey()
})

const withKey = (headers = {}) => {
  const key = keyInput.value.trim()
  return key === '' ? headers : { ...headers, 'X-API-Key': key }
}

/** Asks for the limits of the key, which costs no quota. */
async function checkKey() {
  if (keyInput.value.trim() === '') return 'Enter a key first.'
  try {
    const response = await fetch(`${root}/limits`, { headers: withKey(), cache: 'no-store' })
    const answer = await response.json()
    if (!response.ok) return answer.message
    const left = answer.windows.map(
      ({ name, limit, remaining }) => `${remaining.toLocaleString()} of ${limit.toLocaleString()} left this ${name}`,
    )
    const ban = answer.ban ? ` Banned until ${answer.ban.until}.` : ''
    return `Valid. Plan ${answer.plan}: ${left.join(', ')}.${ban}`
  } catch {
    return 'The service did not answer.'
  }
}

// ---- Trying an operation.

for (const form of document.querySelectorAll('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
}

function requestOf(form) {
  const query = new URLSearchParams()
  const headers = withKey()
  let path = form.dataset.path
  let body
  for (const control of form.querySelectorAll('[data-in]')) {
    const value = control.value.trim()
    if (value === '') continue
    if (control.dataset.in === 'path') path = path.replace(`{${control.name}}`, encodeURIComponent(value))
    if (control.dataset.in === 'header') headers[control.name] = value
    if (control.dataset.in === 'query') {
      for (const part of 'repeat' in control.dataset ? value.split(',') : [value]) query.append(control.name, part)
    }
    if (control.dataset.in === 'body') {
      body = value
      headers['Content-Type'] = control.dataset.type
    }
  }
  const search = query.size === 0 ? '' : `?${query}`
  return [`${root}${path}${search}`, { method: form.dataset.method, headers, body, cache: 'no-store' }]
}

async function send(form) {
  const status = form.parentElement.querySelector('.answer-status')
  const answer = form.parentElement.querySelector('.answer')
  const [button, stop] = form.querySelectorAll('button')
  const stopping = new AbortController()
  stop.onclick = () => stopping.abort()
  stop.hidden = false
  button.disabled = true
  status.textContent = 'Sending…'
  const started = performance.now()
  try {
    const [url, options] = requestOf(form)
    const response = await fetch(url, { ...options, signal: stopping.signal })
    const ms = Math.round(performance.now() - started)
    status.replaceChildren(
      element('span', `status s${String(response.status)[0]}`, response.status),
      ` ${response.statusText} in ${ms} ms`,
    )
    const code = element('code', '', '')
    answer.replaceChildren(limits(response.headers), scrolling(code), allHeaders(response.headers))
    answer.hidden = false
    await show(response, code)
  } catch (error) {
    if (!stopping.signal.aborted) status.textContent = `The request failed: ${error.message}`
    else status.append(' · stopped')
  } finally {
    button.disabled = false
    stop.hidden = true
  }
}

/** The body, JSON indented. */
async function show(response, code) {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  code.textContent = text === '' ? '(no body)' : isJson ? JSON.stringify(JSON.parse(text), null, 2) : text
}

const limitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

/** The rate-limit headers of the answer, the reset also as a time of day. */
function limits(headers) {
  const list = element('dl', 'limits', '')
  for (const name of limitNames) {
    const value = headers.get(name)
    if (value === null) continue
    const clock = name.endsWith('Reset') ? ` (${new Date(Number(value) * 1000).toLocaleTimeString()})` : ''
    const pair = element('div', '', '')
    pair.append(element('dt', '', name), element('dd', '', value + clock))
    list.append(pair)
  }
  return list
}

function allHeaders(headers) {
  const details = element('details', '', '')
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  details.append(element('summary', '', 'All headers'), scrolling(element('code', '', lines)))
  return details
}

function scrolling(code) {
  const pre = element('pre', '', '')
  pre.tabIndex = 0
  pre.append(code)
  return pre
}

function element(name, className, text) {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  made.textContent = text
  return made
}

// ---- Finding one's way.

const leaves = [...document.querySelectorAll('[data-find]')]
document.getElementById('filter').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/)
  for (const leaf of leaves) leaf.hidden = !words.every((word) => leaf.dataset.find.includes(word))
  for (const tag of document.querySelectorAll('.tree > li')) {
    for (const part of tag.querySelectorAll('[data-tag]')) part.hidden = !hasVisibleLeaf(part)
    tag.hidden = target.value !== '' && !hasVisibleLeaf(tag)
  }
  document.getElementById('filter-nothing').hidden = leaves.some((leaf) => !leaf.hidden)
})
const hasVisibleLeaf = (part) => part.querySelector('[data-find]:not([hidden])') !== null

const links = new Map(leaves.map((leaf) => [leaf.querySelector('a').hash.slice(1), leaf.querySelector('a')]))
const reading = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue
      document.querySelector('.tree [aria-current]')?.removeAttribute('aria-current')
      const link = links.get(target.getAttribute('aria-labelledby'))
      link.setAttribute('aria-current', 'true')
      keepInView(link)
    }
  },
  { rootMargin: '-20% 0px -75% 0px' },
)
for (const section of document.querySelectorAll('.operation')) reading.observe(section)

/** Scrolls the contents alone: `scrollIntoView` would move the page under the reader. */
function keepInView(link) {
  const contents = document.getElementById('contents')
  const { top, bottom } = link.getBoundingClientRect()
  const frame = contents.getBoundingClientRect()
  if (top < frame.top || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3
}
