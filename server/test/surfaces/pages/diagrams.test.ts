import { expect, test } from 'bun:test'
import { orderPicture, statusPicture } from '../../../src/shop/pages/state-pictures.ts'
import { eventDiagram, keysDiagram, limitsDiagram } from '../../../src/surfaces/pages/concept-diagrams.ts'

const diagrams = {
  status: statusPicture,
  order: orderPicture,
  keys: keysDiagram,
  limits: limitsDiagram('2 minutes', '24 hours'),
  event: eventDiagram,
}

/** Less than a letter takes on average, so that only a text that really leaves its box is reported. */
const letterWidth = 5
const anchored: Record<string, number> = { start: 0, middle: 0.5, end: 1 }

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
const boxOf = (tag: string) => {
  const [x = 0, y = 0, wide = 0, tall = 0] = ['x', 'y', 'width', 'height'].map((name) => Number(attribute(tag, name)))
  return { left: x, right: x + wide, top: y, bottom: y + tall }
}

test.each(Object.entries(diagrams))('every text of the %s diagram is inside its box and the picture', (_, svg) => {
  const [, right, bottom] = /viewBox="0 0 (\d+) (\d+)" role/.exec(svg)?.map(Number) ?? []
  const picture = { left: 0, right: right ?? 0, top: 0, bottom: bottom ?? 0 }
  const texts = [...svg.matchAll(/(<rect [^>]*>)?(<text [^>]*>)([^<]+)<\/text>/g)]
  expect(texts.length).toBeGreaterThan(5)
  for (const [, rect, tag = '', words = ''] of texts) {
    const box = rect ? boxOf(rect) : picture
    const wide = words.length * letterWidth
    const left = Number(attribute(tag, 'x')) - wide * (anchored[attribute(tag, 'text-anchor')] ?? Number.NaN)
    const y = Number(attribute(tag, 'y'))
    const isInside = left >= box.left && left + wide <= box.right && y > box.top && y < box.bottom
    expect({ words, isInside }).toEqual({ words, isInside: true })
    expect(box.left >= 0 && box.right <= picture.right && box.bottom <= picture.bottom).toBe(true)
  }
})
