import { element } from './elements.client.js'

// ---- A button on every block of code puts it on the clipboard.

const copiedForMs = 1500

document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('.copy')
  if (!button) return
  const done = await copy(button.parentElement.querySelector('pre').textContent)
  button.textContent = done ? 'Copied' : 'Not copied'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, copiedForMs)
})

/** Says whether it worked. Where the page came without encryption there is no clipboard, only the old way. */
async function copy(text) {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Refused: the old way may still do.
  }
  const field = element('textarea', { value: text, readOnly: true })
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  return copied
}
