import { element } from './elements.client.js'

/** The second click of a double click comes at most this late. */
const doubleClickMs = 400

/** Ignores clicks for a moment: they were meant for what is gone. */
export const ignoreClicks = () =>
  document.documentElement.animate({ pointerEvents: ['none', 'none'] }, doubleClickMs).finished

/** Asks for confirmation of something that cannot be undone. */
export function askFirst(question, consequence, action) {
  const keep = element('button', { value: 'no', className: 'quiet', autofocus: true }, 'Cancel')
  const go = element('button', { value: 'yes', className: 'danger' }, action)
  const form = element('form', { method: 'dialog', onsubmit: () => void ignoreClicks() })
  form.append(
    element('h2', {}, question),
    element('p', {}, consequence),
    element('p', { className: 'buttons' }, keep, go),
  )
  const dialog = element('dialog', { className: 'confirm', ariaLabel: 'Confirm' }, form)
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}
