import { tokens } from './tokens.client.js'

export const page = document.documentElement
/** The path in front of every address of the service. */
export const root = page.dataset.root

export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** The nodes of code with its colours. Addresses of this service can be followed. */
export const colouredNodes = (code, language) =>
  tokens(code, language).map(({ kind, text }) => {
    if (kind === undefined) return text
    const address = kind === 'string' && ownAddress(text.slice(1, -1))
    const inside = address ? element('a', { href: address }, text) : text
    return element('span', { className: kind }, inside)
  })

/** The path of an address of this service; of others nothing, since anybody may have written them. */
export function ownAddress(text) {
  const { base } = page.dataset
  return text.startsWith(`${base}/`) ? root + text.slice(base.length) : undefined
}

/** A block of code like those that the server makes. */
export function codeBlock(code, language) {
  const pre = element('pre', { tabIndex: 0 }, element('code', {}, ...colouredNodes(code, language)))
  return element('div', { className: 'code' }, pre, element('button', { type: 'button', className: 'copy' }, 'Copy'))
}
