import { colouredNodes, page } from './elements.client.js'
import { addressIn, languages } from './samples.client.js'

// ---- Turns an operation's form into a request, and updates its samples.

/** The request that a form describes, without the key. */
export function requestOf(form) {
  const { method, reads, sdk } = form.dataset
  const params = []
  const query = []
  const headers = []
  let { path } = form.dataset
  let body
  let type
  for (const control of form.querySelectorAll('[data-in]')) {
    const value = control.type === 'checkbox' && !control.checked ? '' : control.value.trim()
    if (value === '') continue
    const { name } = control
    const { in: location, repeat, bare } = control.dataset
    if (location === 'path') {
      path = path.replace(`{${name}}`, encodeURIComponent(value))
      params.push(value)
    }
    if (location === 'header') headers.push([name, value])
    if (location === 'query') {
      const values = repeat === undefined ? [value] : value.split(',')
      query.push(...values.map((each) => ({ name, value: each, bare: bare !== undefined })))
    }
    if (location === 'body') {
      body = value
      type = control.dataset.type
    }
  }
  const call = sdk === undefined ? undefined : JSON.parse(sdk)
  return { base: page.dataset.base, method, path, params, query, headers, body, type, reads, sdk: call }
}

/** The path of a request with its query. */
export const targetOf = (request) => addressIn({ ...request, base: '' })

document.addEventListener('input', ({ target }) => {
  const form = target.closest?.('.try form')
  if (!form) return
  const request = requestOf(form)
  for (const { id, colour, sample } of languages) {
    const code = form.closest('.operation, .first-call').querySelector(`.sample [data-in-language="${id}"] code`)
    code.replaceChildren(...colouredNodes(sample(request), colour))
  }
})
