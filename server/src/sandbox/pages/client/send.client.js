import { askFirst, ignoreClicks } from '../../../pages/client/confirm.client.js'

// ---- Buttons and forms that send a request. Then the page is loaded again, or says what went wrong.

async function send(target, body) {
  const [method, url] = target.split(' ')
  const outcome = document.querySelector('.outcome')
  // The page that is loaded next has other buttons in the same place.
  const doubleClick = ignoreClicks()
  const response = await fetch(url, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  await doubleClick
  if (response.ok) return location.reload()
  const { message = response.statusText, errors = [] } = await response.json().catch(() => ({}))
  const faults = errors.map(({ path, message: text }) => `${path?.slice(1) ?? ''} ${text}`)
  outcome.textContent = [message, ...faults].join(' ')
}

/** The fields of a form that are filled in. */
function valuesOf(form) {
  const fields = [...form.elements].filter(({ name, value }) => name && value !== '')
  const read = ({ type, value }) => {
    if (type === 'number') return Number(value)
    return type === 'datetime-local' ? `${value}Z` : value
  }
  return Object.fromEntries(fields.map((field) => [field.name, read(field)]))
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('button[data-send]')
  if (!button) return
  const { send: to, body, question, consequence } = button.dataset
  if (question && !(await askFirst(question, consequence, button.textContent))) return
  send(to, body && JSON.parse(body))
})

document.addEventListener('submit', (event) => {
  const form = event.target.closest?.('form[data-send]')
  if (!form) return
  event.preventDefault()
  const { rules } = form.dataset
  const values = valuesOf(form)
  send(form.dataset.send, rules ? { rules: [...JSON.parse(rules), values] } : values)
})
