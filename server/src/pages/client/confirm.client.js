import { element } from './elements.client.js'

/** Asks before a real DELETE. */
export function confirmDelete({ method, target }) {
  const keep = element('button', { value: 'no', className: 'quiet', autofocus: true }, 'Cancel')
  const go = element('button', { value: 'yes', className: 'danger' }, `Send ${method}`)
  const form = element('form', { method: 'dialog' })
  form.append(
    element('h2', {}, `Send ${method} ${target}?`),
    element('p', {}, 'This sends a real request. Deleted data cannot be restored.'),
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
