import { page } from './elements.client.js'

// ---- The sample language: chosen once, remembered for all pages.

export function markLanguage(part) {
  for (const button of part.querySelectorAll('[data-choose]')) {
    button.ariaPressed = String(button.dataset.choose === page.dataset.code)
  }
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-choose]')
  if (!button) return
  const before = button.getBoundingClientRect().top
  page.dataset.code = button.dataset.choose
  localStorage.setItem('petstore.language', button.dataset.choose)
  markLanguage(document)
  // Samples above may change height; keep the clicked one under the pointer.
  window.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' })
})

markLanguage(document)
