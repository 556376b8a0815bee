import { colouredNodes, page, root } from './elements.client.js'
import { languages } from './samples.client.js'

// ---- The form of an operation as a request, and the samples that follow it.

/** What is typed into a form, without the key. */
export function requestOf(form) {
  const query = []
  const headers = []
  let { path } = form.dataset
  let body
  let type
  for (const control of form.querySelectorAll('[data-in]')) {
    const value = control.type === 'checkbox' && !control.checked ? '' : control.value.trim()
    if (value === '') continue
    const { in: place, repeat } = control.dataset
    if (place === 'path') path = path.replace(`{${control.name}}`, encodeURIComponent(value))
    if (place === 'header') headers.push([control.name, value])
    if (place === 'query') {
      for (const part of repeat === undefined ? [value] : value.split(',')) query.push([control.name, part])
    }
    if (place === 'body') {
      body = value
      type = control.dataset.type
    }
  }
  const target = path + (query.length === 0 ? '' : `?${new URLSearchParams(query)}`)
  return { method: form.dataset.method, target, headers, body, type, reads: form.dataset.reads }
}

/** The request as the samples show it. */
const shownRequest = (request) => ({ ...request, address: page.dataset.base + request.target })

/** Where a request is sent to: the page's own host, whatever address the service goes by. */
export const addressOf = ({ target }) => root + target

document.addEventListener('input', ({ target }) => {
  const form = target.closest?.('.try form')
  if (!form) return
  const request = shownRequest(requestOf(form))
  for (const { id, colour, sample } of languages) {
    const code = form.closest('.operation').querySelector(`.sample [data-in-language="${id}"] code`)
    code.replaceChildren(...colouredNodes(sample(request), colour))
  }
})
