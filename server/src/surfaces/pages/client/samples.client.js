// Renders a request as code: on the server for the page, in the browser as the form changes.
// The key comes from the environment, never from the page.

const inShell = (text) => text.replace(/["$`\\]/g, '\\$&')
const inSingleQuotes = (text) => text.replaceAll("'", "'\\''")
const asString = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`

/** A value as a literal of a language, on one line if it is short. */
function literal(value, { word, key, string }, margin = '', width = 56) {
  if (typeof value === 'string') return string(value)
  if (typeof value !== 'object' || value === null) return word(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((item) => literal(item, { word, key, string }, `${margin}  `))
    : Object.entries(value).map(
        ([name, item]) => `${key(name)}: ${literal(item, { word, key, string }, `${margin}  `)}`,
      )
  const [open, close] = isList ? ['[', ']'] : key('a') === 'a' ? ['{ ', ' }'] : ['{', '}']
  const line = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0) return isList ? '[]' : '{}'
  if (line.length <= width && !line.includes('\n')) return line
  return `${open.trim()}\n${parts.map((part) => `${margin}  ${part},\n`).join('')}${margin}${close.trim()}`
}

const asJavaScript = {
  word: String,
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : asString(name)),
  string: asString,
}

const asPython = {
  word: (value) => ({ true: 'True', false: 'False', null: 'None' })[String(value)] ?? String(value),
  key: JSON.stringify,
  string: JSON.stringify,
}

/** Undefined if the text is not JSON (yet). */
function parseJson(body) {
  try {
    return { value: JSON.parse(body) }
  } catch {
    return undefined
  }
}

/** The full address, with the query. */
export const addressIn = ({ base, path, query }) =>
  base + path + (query.length === 0 ? '' : `?${new URLSearchParams(query.map(({ name, value }) => [name, value]))}`)

const isGiven = (headers, name) => headers.some(([given]) => given.toLowerCase() === name.toLowerCase())
const needsRetryKey = ({ method, headers }) => method === 'POST' && !isGiven(headers, 'Idempotency-Key')

/** Works in every shell; some lack `$RANDOM`, and it has too few values for a loop. */
const newKeyInShell = '$(od -An -N8 -tu8 /dev/urandom)'

export function curlSample(request) {
  const { method, headers, body, type, reads } = request
  const address = addressIn(request)
  const lines = [
    `curl ${reads === 'stream' ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}"${inShell(address)}"`,
    '-H "X-API-Key: $PETSTORE_API_KEY"',
    ...(needsRetryKey(request) ? [`-H "Idempotency-Key: ${newKeyInShell}"`] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${inShell(value)}"`),
    ...(body === undefined ? [] : [`-H "Content-Type: ${type}"`, `-d '${inSingleQuotes(shortenJson(body))}'`]),
  ]
  return lines.join(' \\\n  ')
}

// Short bodies on one line, long ones as typed.
function shortenJson(body) {
  const json = parseJson(body)
  const line = json && JSON.stringify(json.value)
  return line && line.length <= 60 ? line : body
}

export function fetchSample(request) {
  const { method, headers, body, type, reads } = request
  const address = addressIn(request)
  const json = body === undefined ? undefined : parseJson(body)
  const lines = [
    "'X-API-Key': process.env.PETSTORE_API_KEY ?? '',",
    ...(needsRetryKey(request) ? ["'Idempotency-Key': crypto.randomUUID(),"] : []),
    ...headers.map(([name, value]) => `${asJavaScript.key(name)}: ${asString(value)},`),
    ...(body === undefined ? [] : [`'Content-Type': '${type}',`]),
  ]
  return [
    `const response = await fetch(${asString(address)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(lines.length === 1
      ? [`  headers: { ${lines[0].slice(0, -1)} },`]
      : ['  headers: {', ...lines.map((line) => `    ${line}`), '  },']),
    ...(body === undefined
      ? []
      : [`  body: ${json ? `JSON.stringify(${literal(json.value, asJavaScript, '  ')})` : asString(body)},`]),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    ...{
      json: ['console.log(await response.json())'],
      nothing: [],
      stream: [
        'const events = response.body.pipeThrough(new TextDecoderStream())',
        'for await (const text of events) console.log(text)',
      ],
    }[reads],
  ].join('\n')
}

export function pythonSample(request) {
  const { method, headers, body, type, reads } = request
  const address = addressIn(request)
  const json = body === undefined ? undefined : parseJson(body)
  const imports = [...(reads === 'json' || json ? ['json'] : []), 'os', ...(needsRetryKey(request) ? ['uuid'] : [])]
  const lines = [
    '"X-API-Key": os.environ["PETSTORE_API_KEY"],',
    ...(needsRetryKey(request) ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(body === undefined ? [] : [`"Content-Type": "${type}",`]),
  ]
  return [
    ...imports.map((name) => `import ${name}`),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(address)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(lines.length === 1
      ? [`    headers={${lines[0].slice(0, -1)}},`]
      : ['    headers={', ...lines.map((line) => `        ${line}`), '    },']),
    ...(body === undefined
      ? []
      : [`    data=${json ? `json.dumps(${literal(json.value, asPython, '    ')})` : JSON.stringify(body)}.encode(),`]),
    ')',
    'with urlopen(request) as response:',
    ...{
      json: ['    print(json.load(response))'],
      nothing: ['    print(response.status)'],
      stream: ['    for line in response:', '        print(line.decode(), end="")'],
    }[reads],
  ].join('\n')
}

/** SDK options by header. */
const sdkOptions = { 'Idempotency-Key': 'idempotencyKey', 'If-Match': 'ifMatch' }

/** The SDK call for a request; undefined if the SDK cannot express it. */
function sdkCall({ sdk, params, query, headers, body }) {
  if (!sdk || headers.some(([name]) => !(name in sdkOptions))) return undefined
  // The rest of the call is on the same line.
  const width = 40 - sdk.call.length
  const given = params.map((value) => (/^\d+$/.test(value) ? value : asString(value)))
  if (body !== undefined) {
    const json = parseJson(body)
    if (!json) return undefined
    given.push(literal(json.value, asJavaScript, '', width))
  }
  const wanted = {}
  for (const { name, value, bare } of query) {
    const written = bare ? (Number.isNaN(Number(value)) ? value === 'true' : Number(value)) : value
    wanted[name] = name in wanted ? [wanted[name], written].flat() : written
  }
  if (query.length > 0) given.push(literal(wanted, asJavaScript, '', width))
  const options = Object.fromEntries(headers.map(([name, value]) => [sdkOptions[name], value]))
  if (headers.length > 0) given.push(literal(options, asJavaScript))
  return `petstore.${sdk.call}(${given.join(', ')})`
}

/** The lines that use a call. */
function usesOf(call, { sdk, reads }) {
  if (sdk.isList) return [`const { items } = await ${call}.firstPage()`, 'console.log(items)']
  if (reads === 'stream') return [`for await (const event of ${call}) console.log(JSON.stringify(event))`]
  return [reads === 'nothing' ? `await ${call}` : `console.log(await ${call})`]
}

/** With the SDK, which is typed, retries and stays within the limits; with fetch where the SDK has no method. */
export function javascriptSample(request) {
  const call = sdkCall(request)
  if (call === undefined) return fetchSample(request)
  return [
    "import { PetStore } from '@petstore/sdk'",
    '',
    'const petstore = new PetStore({',
    `  baseUrl: ${asString(request.base)},`,
    "  apiKey: process.env.PETSTORE_API_KEY ?? '',",
    '})',
    ...usesOf(call, request),
  ].join('\n')
}

/** The languages in the order of their tabs. */
export const languages = [
  { id: 'curl', name: 'curl', colour: 'bash', sample: curlSample },
  { id: 'javascript', name: 'JavaScript', colour: 'javascript', sample: javascriptSample },
  { id: 'python', name: 'Python', colour: 'python', sample: pythonSample },
]
