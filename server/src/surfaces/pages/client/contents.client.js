// ---- Navigation: the filter of the reference, and highlighting the current section on pages with contents.

const leaves = [...document.querySelectorAll('[data-find]')]
const hasVisibleLeaf = (part) => part.querySelector('[data-find]:not([hidden])') !== null

document.getElementById('filter')?.addEventListener('input', ({ target }) => {
  const wanted = target.value.toLowerCase().split(/\s+/)
  for (const leaf of leaves) leaf.hidden = !wanted.every((word) => leaf.dataset.find.includes(word))
  for (const tag of document.querySelectorAll('.tree > li')) {
    for (const part of tag.querySelectorAll('[data-tag]')) part.hidden = !hasVisibleLeaf(part)
    tag.hidden = target.value !== '' && !hasVisibleLeaf(tag)
  }
  document.getElementById('filter-nothing').hidden = leaves.some((leaf) => !leaf.hidden)
})

const links = new Map(
  [...document.querySelectorAll('[data-follows] a[href^="#"]')].map((link) => [link.hash.slice(1), link]),
)
const reading = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      const link = links.get(target.getAttribute('aria-labelledby') ?? target.id)
      if (!isIntersecting || !link) continue
      const contents = link.closest('[data-follows]')
      contents.querySelector('[aria-current]')?.removeAttribute('aria-current')
      link.setAttribute('aria-current', 'true')
      keepInView(contents, link)
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
for (const part of document.querySelectorAll('.operation, .prose h2')) reading.observe(part)

/** Scrolls only the contents: `scrollIntoView` would scroll the page too. */
function keepInView(contents, link) {
  const { top, bottom } = link.getBoundingClientRect()
  const frame = contents.getBoundingClientRect()
  if (top < frame.top || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3
}
