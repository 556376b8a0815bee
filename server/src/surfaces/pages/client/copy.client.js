import { element } from './elements.client.js'

// ---- The copy button of every code block.

const copiedForMs = 1500

document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('.copy')
  if (!button) return
  const done = await copy(button.parentElement.querySelector('pre').textContent)
  button.textContent = done ? 'Copied' : 'Copy failed'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, copiedForMs)
})

/** Resolves to whether it worked. Without https there is no clipboard API, only `execCommand`. */
async function copy(text) {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Denied: `execCommand` may still work.
  }
  const field = element('textarea', { value: text, readOnly: true })
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  return copied
}
