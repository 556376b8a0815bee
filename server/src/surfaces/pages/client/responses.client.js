// ---- The response tabs of an operation. Error bodies are on the page once, as templates.

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-status]')
  if (!button) return
  const response = button.closest('.response')
  for (const other of response.querySelectorAll('[data-status]')) other.ariaPressed = String(other === button)
  const { codes, status } = button.dataset
  const errors = response.querySelector('.error-bodies')
  errors.hidden = codes === undefined
  if (codes !== undefined) {
    errors.replaceChildren(
      ...codes.split(' ').map((code) => document.getElementById(`body-${code}`).content.cloneNode(true)),
    )
  }
  for (const panel of response.querySelectorAll('[data-body-of]')) panel.hidden = panel.dataset.bodyOf !== status
})
