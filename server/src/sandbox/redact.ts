/**
 * Names of secrets in headers, addresses and bodies, in lower case and without separators: `X-Auth-Token` and `authToken` are
 * `token`. Other words may precede them.
 */
const nameEndings = [
  ...['apikey', 'accesskey', 'secretkey', 'privatekey', 'subscriptionkey', 'functionskey', 'sharedkey'],
  ...['token', 'tokens', 'jwt', 'assertion', 'authorization', 'credential', 'credentials', 'cookie', 'sessionid'],
  ...['signature', 'sig', 'passphrase', 'passcode', 'passwd', 'pwd', 'dpop'],
]
/** Words may precede and follow them. */
const nameParts = ['password', 'secret']
/** Only as the whole name. */
const wholeNames = ['key', 'auth', 'pass', 'pw', 'otp', 'pin']

/**
 * The form of keys and of webhook secrets, anywhere in a text: a space before them may be written as `%20`. Part of a key
 * is removed too, unless it is so short that it could be a word.
 */
const secretForms = /(ps_)[\dA-Za-z]{20,}|(whsec_)[\w+/=%-]{8,}/g

/** What keys of the service are redacted to, which shows where a client sends one. */
const cutKey = /^(?:Bearer )?(?:ps_|whsec_)…$/i

const cutForms = (text: string): string => text.replace(secretForms, '$1$2…')
const cutValue = (value: string): string => (value === '' || cutKey.test(value) ? value : '…')

/** A field of JSON whose value is a text or a number. The text may end early. */
const jsonField = /(?<!\\)"((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*)/g
/** A field of JSON up to where its value, an object or a list, begins. */
const jsonContainer = /(?<!\\)"((?:[^"\\]|\\.)*)"\s*:\s*(?=[{[])/g
/** What decides where a value of JSON ends: brackets, and texts, which may have brackets. */
const jsonToken = /"(?:[^"\\]|\\.)*"?|[{}[\]]/g
/** A parameter of an address or a form. A `;` is in no name: many of them would take quadratic time. */
const parameter = /([?&;]|^)([^=&;?#\s"]+)=([^&#\s"<>]*)/g
/** The name of a part of a form, in a line of its head. */
const partName = /\bname="?([^"\r;]+)/
const address = /\bhttps?:\/\/[^\s"'<>\\]+/g
const userInfo = /^(https?:\/\/)[^/?#@]+@/
/** A part of a path that is made for machines, as in the webhook addresses of chat services. */
const opaqueSegment = /(?<=\/)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?=[/?#]|$)/g

/** Removes what is secret from recorded requests. */
export interface Redactor {
  /** The path and query of a request. */
  target(text: string): string
  headers(headers: Readonly<Record<string, string | undefined>>): Record<string, string>
  body(text: string, type: string | undefined): string
  /** The address of a webhook. */
  address(text: string): string
}

const namesMax = 1_000
const nameCharactersMax = 200
const charactersMax = 256 * 1024

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** `names`: additional names of secrets. */
export function createRedactor(names: readonly string[] = []): Redactor {
  const more = new Set([...wholeNames, ...names.map(plainName)])
  const known = new Map<string, boolean>()
  function findSecret(name: string): boolean {
    const plain = plainName(decodeName(name))
    return (
      more.has(plain) ||
      nameParts.some((part) => plain.includes(part)) ||
      nameEndings.some((ending) => plain.endsWith(ending))
    )
  }
  function isSecret(name: string): boolean {
    // Names come from clients, so only a few are kept, and no long ones.
    if (name.length > nameCharactersMax) return findSecret(name)
    if (known.size > namesMax) known.clear()
    return known.getOrInsertComputed(name, findSecret)
  }

  const cutParameters = (text: string): string =>
    text.replace(parameter, (whole, before: string, name: string, value: string) =>
      isSecret(name) ? `${before}${name}=${cutValue(value)}` : whole,
    )
  const cutAddress = (text: string): string => cutParameters(cutForms(text.replace(userInfo, '$1…@')))
  const cutAddresses = (text: string): string => text.replace(address, cutAddress)
  const cutWebhook = (text: string): string => {
    const [path = '', ...query] = cutAddress(text).split(/(?=[?#])/)
    return [path.replace(opaqueSegment, '…'), ...query].join('')
  }

  /** Cuts objects and lists in fields whose names are secret. */
  function cutContainers(text: string): string {
    let cut = ''
    let from = 0
    for (const { 0: head, 1: name = '', index } of text.matchAll(jsonContainer)) {
      if (index < from || !isSecret(name)) continue
      cut += `${text.slice(from, index)}${head}"…"`
      from = endOfValue(text, index + head.length)
    }
    return cut + text.slice(from)
  }

  /** Cuts what is in the secret parts of a form. Line by line: an expression over all of it would take cubic time. */
  function cutParts(text: string): string {
    let isSecretPart = false
    let isValue = false
    const cutLine = (line: string): string => {
      const [content = '', end = ''] = line.endsWith('\r') ? [line.slice(0, -1), '\r'] : [line]
      const isCut = isValue && isSecretPart
      // An empty line ends the head of a part. Any line of the head may have a name, as Content-Type may.
      if (isValue) isSecretPart = false
      else isSecretPart ||= isSecret(partName.exec(content)?.[1] ?? '')
      isValue = !isValue && content === ''
      return isCut ? `…${end}` : line
    }
    return text.split('\n').map(cutLine).join('\n')
  }

  const cutJson = (text: string): string =>
    cutContainers(text).replace(jsonField, (whole, name: string, between: string, value: string) => {
      if (isSecret(name)) return `"${name}"${between}"${cutValue(value.replace(/^"|"$/g, ''))}"`
      return plainName(name).endsWith('url') ? `"${name}"${between}${value.replace(address, cutWebhook)}` : whole
    })

  return {
    target: (text) => cutParameters(cutForms(text)),
    headers(headers) {
      const cut: Record<string, string> = {}
      for (const [name, given] of Object.entries(headers)) {
        const value = cutForms(String(given))
        cut[name] = isSecret(name) ? cutValue(value) : cutAddresses(value)
      }
      return cut
    },
    body(given, type = '') {
      // This is far more than is recorded.
      const text = cutForms(given.slice(0, charactersMax))
      if (type.includes('form-urlencoded')) return cutParameters(text)
      if (type.includes('multipart')) return cutParts(text)
      return cutAddresses(cutJson(text))
    },
    address: cutWebhook,
  }
}

/** Where the object or list that begins here ends; the end of the text if that comes before. */
function endOfValue(text: string, from: number): number {
  const tokens = new RegExp(jsonToken)
  tokens.lastIndex = from
  let depth = 0
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    if ('{['.includes(found[0])) depth++
    else if ('}]'.includes(found[0])) depth--
    if (depth === 0) return tokens.lastIndex
  }
  return text.length
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
