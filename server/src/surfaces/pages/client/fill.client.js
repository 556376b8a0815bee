import { markLanguage } from './language.client.js'

// ---- The details of operations wait in <noscript>, where a browser with scripts does not parse them. They are filled in when they come near the
// window, when an address names them, before printing, and otherwise whenever the browser has nothing to do.

const unfilled = new Set(document.querySelectorAll('.operation:has(noscript)'))

function fill(operation) {
  if (!unfilled.delete(operation)) return
  for (const waiting of operation.querySelectorAll('noscript')) waiting.outerHTML = waiting.textContent
  markLanguage(operation)
}

const near = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue
      near.unobserve(target)
      fill(target)
    }
  },
  { rootMargin: '50% 0px' },
)
for (const operation of unfilled) near.observe(operation)

/** Fills the operation that the address names, `#listPets` or `#listPets.limit`, and scrolls to it again if it was not there before. */
function fillTarget() {
  const id = decodeURIComponent(location.hash.slice(1))
  const operation = document.getElementById(id.split('.')[0])?.closest('.operation')
  const wasThere = document.getElementById(id) !== null
  fill(operation)
  if (operation && !wasThere) location.replace(location.hash)
}
fillTarget()
addEventListener('hashchange', fillTarget)
addEventListener('beforeprint', () => {
  for (const operation of unfilled) fill(operation)
})

const whenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(() => run({ timeRemaining: () => 0 }), 50))
const fillNext = (deadline) => {
  do fill(unfilled.values().next().value)
  while (unfilled.size > 0 && deadline.timeRemaining() > 10)
  if (unfilled.size > 0) whenIdle(fillNext)
}
// What the reader sees first comes first.
const restAfterMs = 1_000
addEventListener('load', () => setTimeout(() => unfilled.size > 0 && whenIdle(fillNext), restAfterMs))
