import { root } from './elements.client.js'

// ---- The API key: entered once, used by every form, kept until the tab is closed.

const keyInput = document.getElementById('key')
const keyNote = document.getElementById('key-note')
// Sandboxes share an origin, and have different keys.
const keyName = `petstore.key ${root}`
const keyNoteAtFirst = keyNote?.textContent
let waiting

export const readKey = () => keyInput.value.trim()

/** What waited for a key is sent otherwise, or no longer. */
export const stopWaiting = () => {
  waiting = undefined
}

/** Asks for a key and continues once there is one. */
export function askForKey(goOn) {
  waiting = goOn
  keyNote.textContent = 'This request needs a key. Enter one and press Enter to send it.'
  keyInput.focus()
}

async function submitKey(event) {
  event.preventDefault()
  if (readKey() === '') {
    keyNote.textContent = 'Enter a key first.'
    return
  }
  const goOn = waiting
  stopWaiting()
  goOn?.()
  keyNote.textContent = await checkKey()
}

/** Reads the key's limits, which costs no quota. */
async function checkKey() {
  try {
    const response = await fetch(`${root}/limits`, { headers: { 'X-API-Key': readKey() }, cache: 'no-store' })
    const limits = await response.json()
    if (!response.ok) return limits.message
    const left = limits.windows.map(
      ({ name, limit, remaining }) => `${remaining.toLocaleString()} of ${limit.toLocaleString()} left this ${name}`,
    )
    const ban = limits.ban ? ` Banned until ${limits.ban.until}.` : ''
    return `Valid. Plan ${limits.plan}: ${left.join(', ')}.${ban}`
  } catch {
    return 'The service did not respond.'
  }
}

if (keyInput) {
  keyInput.value = sessionStorage.getItem(keyName) ?? ''
  keyInput.addEventListener('input', () => {
    sessionStorage.setItem(keyName, readKey())
    if (!waiting) keyNote.textContent = keyNoteAtFirst
  })
  document.getElementById('key-forget').addEventListener('click', () => {
    sessionStorage.removeItem(keyName)
    stopWaiting()
    keyInput.value = ''
    keyNote.textContent = 'Key removed.'
  })
  document.getElementById('key-form').addEventListener('submit', submitKey)
}
