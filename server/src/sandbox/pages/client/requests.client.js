import { codeBlock, element, page, root } from '../../../pages/client/elements.client.js'

// ---- The requests of a sandbox: details, search, and the command that repeats one.

let loaded

/** All requests by id, loaded when they are first needed. */
const loadRequests = () => {
  loaded ??= fetch(`${root}/_sandbox/requests`, { headers: { Accept: 'application/json' } })
    .then((response) => response.json())
    .then(({ data }) => new Map(data.map((request) => [String(request.id), request])))
  return loaded
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
/** Headers that curl sets itself. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'user-agent',
])

/** With only `-X HEAD`, curl would wait for a body. */
const methodOf = (method) => ({ GET: '', HEAD: '--head ' })[method] ?? `-X ${method} `

/** The stored part of a body is a different body, so the whole one is read from a file. */
function bodyOf({ body, bodyCut }) {
  if (bodyCut) return ['--data-binary @body.json  # not stored completely: put the whole body into this file']
  return body === undefined ? [] : [`--data-raw ${quote(body)}`]
}

function curlOf(request) {
  const { method, target, headers } = request
  const others = Object.entries(headers).filter(
    ([name, value]) => !ownHeaders.has(name) && name !== 'x-api-key' && (value !== '…' || name === 'authorization'),
  )
  const lines = [
    `curl ${methodOf(method)}${quote(page.dataset.base + target)}`,
    ...(headers['x-api-key'] ? ['-H "X-API-Key: $PETSTORE_API_KEY"'] : []),
    ...others.map(([name, value]) =>
      name === 'authorization' ? '-H "Authorization: Bearer $PETSTORE_API_KEY"' : `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...bodyOf(request),
  ]
  return lines.join(' \\\n  ')
}

function messageOf(headers, body, isCut) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [...lines, ...(body ? ['', body] : []), ...(isCut ? ['', '(the rest was not stored)'] : [])].join('\n')
}

/** What the client received, by the status if the head of a response was sent. */
const responseTitles = {
  complete: (status) => `Response ${status}`,
  cut: (status) => (status ? `Response ${status}, cut in the middle` : 'No response: the connection was cut'),
  abandoned: (status) => (status ? `Response ${status}, until the client left` : 'No response: the client left first'),
  open: (status) => (status ? `Response ${status}, still open` : 'No response yet'),
}

const part = (title, code, language) => [element('h3', {}, title), codeBlock(code, language)]

async function showDetails(row) {
  const request = (await loadRequests()).get(row.dataset.request)
  if (!request || row.querySelector('.code')) return
  row.append(
    ...part('As curl', curlOf(request), 'bash'),
    ...part('Request', messageOf(request.headers, request.body, request.bodyCut), 'http'),
    ...part(
      responseTitles[request.received](request.status),
      messageOf(request.responseHeaders, request.responseBody),
      'http',
    ),
  )
}

async function find(text) {
  const requests = await loadRequests()
  const wanted = text.trim().toLowerCase()
  const rows = [...document.querySelectorAll('[data-request]')]
  for (const row of rows) {
    const request = requests.get(row.dataset.request)
    const whole = request ? JSON.stringify(Object.values(request)).toLowerCase() : ''
    row.parentElement.hidden = wanted !== '' && !whole.includes(wanted)
  }
  const shown = rows.filter((row) => !row.parentElement.hidden).length
  document.querySelector('.found-requests').textContent =
    wanted === '' ? `${rows.length} requests` : `${shown} of ${rows.length} requests`
}

document
  .querySelector('.requests')
  ?.addEventListener('toggle', ({ target }) => target.open && showDetails(target), { capture: true })
document.getElementById('find-request')?.addEventListener('input', ({ target }) => find(target.value))

/** Opens the request that the address names. */
const openNamed = () => {
  const row = location.hash.startsWith('#request-') && document.getElementById(location.hash.slice(1))
  if (!row) return
  row.parentElement.hidden = false
  row.open = true
}
addEventListener('hashchange', openNamed)
openNamed()
