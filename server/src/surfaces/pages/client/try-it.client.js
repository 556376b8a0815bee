import { askFirst } from './confirm.client.js'
import { element, root } from './elements.client.js'
import { requestOf, targetOf } from './form.client.js'
import { askForKey, readKey, stopWaiting } from './key.client.js'
import { showResponse } from './response.client.js'

// ---- Trying an operation.

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!form.matches('.try form')) return
  event.preventDefault()
  const request = requestOf(form)
  tryIt(form, { ...request, target: targetOf(request) })
})

/** Sends a request to the host of the page, whatever the service's public address is. */
async function tryIt(form, request) {
  if (readKey() === '') {
    askForKey(() => {
      form.scrollIntoView({ block: 'nearest' })
      tryIt(form, request)
    })
    return
  }
  stopWaiting()
  if (request.method === 'DELETE' && !(await confirmDelete(request))) return
  await send(form, request)
}

const confirmDelete = ({ method, target }) =>
  askFirst(`Send ${method} ${target}?`, 'This sends a real request. Deleted data cannot be restored.', `Send ${method}`)

async function send(form, request) {
  const { method, headers, body, type } = request
  const status = form.parentElement.querySelector('.response-status')
  const output = form.parentElement.querySelector('.response')
  const [button, stop] = form.querySelectorAll('.buttons button')
  const stopping = new AbortController()
  stop.onclick = () => stopping.abort()
  stop.hidden = false
  button.disabled = true
  status.textContent = 'Sending…'
  const started = performance.now()
  try {
    const sent = new Headers([...headers, ...(type === undefined ? [] : [['Content-Type', type]])])
    sent.set('X-API-Key', readKey())
    const options = { method, headers: sent, body, cache: 'no-store', signal: stopping.signal }
    const response = await fetch(root + request.target, options)
    const ms = Math.round(performance.now() - started)
    status.replaceChildren(
      element('span', { className: `status s${String(response.status)[0]}` }, String(response.status)),
      ` ${response.statusText} in ${ms} ms`,
    )
    const follow = (target) => tryIt(form, { method: 'GET', target, headers: [] })
    await showResponse({ request, response, output, follow })
  } catch (error) {
    if (!stopping.signal.aborted) status.textContent = `The request failed: ${error.message}`
    else status.append(' · stopped')
  } finally {
    button.disabled = false
    stop.hidden = true
  }
}
