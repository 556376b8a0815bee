import { codeBlock, element, ownAddress, root } from './elements.client.js'

/** Shows the request and its response. */
export async function showResponse({ request, response, output, follow }) {
  const body = element('div', { className: 'response-body' })
  output.replaceChildren(
    element('p', { className: 'type' }, 'Request'),
    codeBlock(sentText(request), 'http'),
    element('p', { className: 'type' }, 'Response'),
    limits(response.headers),
    followable(response.headers, follow),
    body,
    allHeaders(response.headers),
  )
  output.hidden = false
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await showStream(response, body)
  else body.replaceChildren(await bodyBlock(response))
}

/** The key is left out, because screenshots are shared. */
function sentText({ method, target, headers, body, type }) {
  const lines = [
    `${method} ${root}${target}`,
    'X-API-Key: $PETSTORE_API_KEY',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(body === undefined ? [] : ['', body]),
  ]
  return lines.join('\n')
}

async function bodyBlock(response) {
  const text = await response.text()
  if (text === '') return element('p', { className: 'type' }, '(no body)')
  const isJson = response.headers.get('content-type')?.includes('json')
  return codeBlock(isJson ? JSON.stringify(JSON.parse(text), null, 2) : text, isJson ? 'json' : 'text')
}

const streamShownMax = 100_000

/** Appends what arrives until the stream ends or is stopped. */
async function showStream(response, body) {
  const block = codeBlock('', 'text')
  const code = block.querySelector('code')
  body.replaceChildren(block)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    code.textContent = (code.textContent + piece.value).slice(-streamShownMax)
    block.firstChild.scrollTop = block.firstChild.scrollHeight
  }
}

/** Buttons for the created resource and the next page. */
function followable(headers, follow) {
  const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const links = { Location: headers.get('location'), 'Next page': next }
  const row = element('p', { className: 'buttons' })
  for (const [name, address] of Object.entries(links)) {
    if (!address) continue
    const path = ownAddress(address) ?? address
    const target = path.startsWith(`${root}/`) ? path.slice(root.length) : path
    const button = element('button', { type: 'button', className: 'quiet', title: `GET ${target}` }, `${name} →`)
    button.addEventListener('click', () => follow(target))
    row.append(button)
  }
  return row
}

const limitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

/** The rate-limit headers, with the reset also as local time. */
function limits(headers) {
  const list = element('dl', { className: 'limits' })
  for (const name of limitNames) {
    const value = headers.get(name)
    if (value === null) continue
    const clock = name.endsWith('Reset') ? ` (${new Date(Number(value) * 1000).toLocaleTimeString()})` : ''
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value + clock)))
  }
  return list
}

function allHeaders(headers) {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return element('details', {}, element('summary', {}, 'All headers'), codeBlock(lines, 'http'))
}
