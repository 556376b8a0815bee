// State diagrams in the colours of the page. The text around them says the same in words.

const arrow = (id: string) =>
  `<defs><marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>`

const state = (name: string, x: number, y: number) =>
  `<rect class="state" x="${x}" y="${y}" width="130" height="46" rx="23"/><text x="${x + 65}" y="${y + 28}" text-anchor="middle">${name}</text>`

const way = (path: string, tip: string) => `<path class="way" d="${path}" marker-end="url(#${tip})"/>`

// On a phone it scrolls rather than shrinks.
const frame = (svg: string[]) => `<div class="scroll" tabindex="0">\n${svg.join('\n')}\n</svg></div>`

const note = (text: string, x: number, y: number, anchor = 'middle') =>
  `<text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`

/** How the stock moves the status of a pet. */
export const statusDiagram = frame([
  '<svg class="diagram" viewBox="0 0 560 270" role="img" aria-label="A pet goes from available to pending when the last one is ordered, from pending to sold when its order is completed, from available to sold when none is left and no order is open, and back to available when stock comes in.">',
  arrow('tip-status'),
  state('available', 20, 20),
  state('pending', 410, 20),
  state('sold', 215, 204),
  way('M150 34H408', 'tip-status'),
  note('last one ordered', 280, 24),
  way('M410 54H152', 'tip-status'),
  note('stock comes in, or order cancelled', 280, 74),
  way('M468 66 340 204', 'tip-status'),
  note('order completed', 420, 150, 'start'),
  way('M60 66 224 216', 'tip-status'),
  note('none left,', 112, 158, 'end'),
  note('no open order', 126, 175, 'end'),
  way('M262 204 112 68', 'tip-status'),
  note('stock comes in', 220, 150, 'start'),
])

/** The life of an order. */
export const orderDiagram = frame([
  '<svg class="diagram" viewBox="0 0 560 150" role="img" aria-label="An order is placed open. It can be completed, or cancelled, which returns the stock. It may also be placed complete.">',
  arrow('tip-order'),
  state('open', 170, 52),
  state('complete', 410, 10),
  state('cancelled', 410, 94),
  way('M20 75H168', 'tip-order'),
  note('placed: takes stock', 90, 65),
  way('M300 68C345 64 360 34 408 33', 'tip-order'),
  note('completed', 330, 38),
  way('M300 82C345 86 360 116 408 117', 'tip-order'),
  note('cancelled:', 325, 122),
  note('returns stock', 325, 139),
])
