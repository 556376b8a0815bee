// ---- The filter of the error catalogue.

const errorFilter = document.getElementById('error-filter')

errorFilter?.addEventListener('input', () => {
  const wanted = errorFilter.value.toLowerCase().split(/\s+/)
  const found = [...document.querySelectorAll('[data-error]')].filter((error) => {
    error.hidden = !wanted.every((word) => error.dataset.error.includes(word))
    return !error.hidden
  })
  for (const group of document.querySelectorAll('.error-group'))
    group.hidden = !group.querySelector('.error:not([hidden])')
  document.querySelector('.error-index').hidden = errorFilter.value.trim() !== ''
  document.getElementById('error-nothing').textContent = found.length === 0 ? 'No code matches.' : ''
})
