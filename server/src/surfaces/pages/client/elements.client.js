import { tokens } from './tokens.client.js'

export const page = document.documentElement
/** The path prefix of the service. */
export const root = page.dataset.root

export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** Highlighted code as nodes. Addresses of this service become links. */
export const colouredNodes = (code, language) =>
  tokens(code, language).map(({ kind, text }) => {
    if (kind === undefined) return text
    const address = kind === 'string' && ownAddress(text.slice(1, -1))
    const inside = address ? element('a', { href: address }, text) : text
    return element('span', { className: kind }, inside)
  })

/** The path of an address of this service; undefined for other addresses, which anyone may have written. */
export function ownAddress(text) {
  const { base } = page.dataset
  return text.startsWith(`${base}/`) ? root + text.slice(base.length) : undefined
}

/** A code block like those that the server renders. */
export function codeBlock(code, language) {
  const pre = element('pre', { tabIndex: 0 }, element('code', {}, ...colouredNodes(code, language)))
  return element('div', { className: 'code' }, pre, element('button', { type: 'button', className: 'copy' }, 'Copy'))
}
