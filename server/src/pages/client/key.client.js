import { root } from './elements.client.js'

// ---- The key: entered once, used by every form, kept until the tab is closed.

const keyInput = document.getElementById('key')
const keyNote = document.getElementById('key-note')
const keyName = 'petstore.key'
const keyNoteAtFirst = keyNote?.textContent
let waiting

export const givenKey = () => keyInput.value.trim()

/** Asks for a key, wherever the reader is, and goes on when there is one. */
export function askForKey(goOn) {
  waiting = goOn
  keyNote.textContent = 'This request needs a key. Enter one and press Enter: it is sent then.'
  keyInput.focus()
}

async function keyGiven(event) {
  event.preventDefault()
  if (givenKey() === '') {
    keyNote.textContent = 'Enter a key first.'
    return
  }
  const goOn = waiting
  waiting = undefined
  goOn?.()
  keyNote.textContent = await checkKey()
}

/** Asks for the limits of the key, which costs no quota. */
async function checkKey() {
  try {
    const response = await fetch(`${root}/limits`, { headers: { 'X-API-Key': givenKey() }, cache: 'no-store' })
    const answer = await response.json()
    if (!response.ok) return answer.message
    const left = answer.windows.map(
      ({ name, limit, remaining }) => `${remaining.toLocaleString()} of ${limit.toLocaleString()} left this ${name}`,
    )
    const ban = answer.ban ? ` Banned until ${answer.ban.until}.` : ''
    return `Valid. Plan ${answer.plan}: ${left.join(', ')}.${ban}`
  } catch {
    return 'The service did not answer.'
  }
}

if (keyInput) {
  keyInput.value = sessionStorage.getItem(keyName) ?? ''
  keyInput.addEventListener('input', () => {
    sessionStorage.setItem(keyName, givenKey())
    if (!waiting) keyNote.textContent = keyNoteAtFirst
  })
  document.getElementById('key-forget').addEventListener('click', () => {
    sessionStorage.removeItem(keyName)
    keyInput.value = ''
    keyNote.textContent = 'Forgotten.'
  })
  document.getElementById('key-form').addEventListener('submit', keyGiven)
}
