// Diagrams in the page's colours, narrow enough for a phone. The text around them says the same.

const width = 110
const height = 44

/** A state with a name. */
export const state = (name: string, x: number, y: number) =>
  `<rect class="state" x="${x}" y="${y}" width="${width}" height="${height}" rx="22"/><text x="${x + width / 2}" y="${y + 27}" text-anchor="middle">${name}</text>`

export const arrow = (path: string) => `<path class="arrow" d="${path}" marker-end="url(#tip)"/>`

export const note = (text: string, x: number, y: number, anchor: 'start' | 'middle' | 'end') =>
  `<text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`

export const diagram = (id: string, tall: number, words: string, parts: string[]) =>
  [
    `<svg class="diagram" viewBox="0 0 400 ${tall}" role="img" aria-label="${words}">`,
    `<defs><marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>`,
    ...parts.map((part) => part.replace('url(#tip)', `url(#${id})`)),
    '</svg>',
  ].join('\n')
