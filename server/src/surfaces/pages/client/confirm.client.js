import { element } from './elements.client.js'

/** Asks before something that cannot be undone. */
export function askFirst(question, consequence, action) {
  const keep = element('button', { value: 'no', className: 'quiet', autofocus: true }, 'Cancel')
  const go = element('button', { value: 'yes', className: 'danger' }, action)
  const form = element('form', { method: 'dialog' })
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
