// How many columns of a terminal a text takes: a combining mark takes none, an emoji or a Chinese character two.

const segmenter = new Intl.Segmenter()
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u
const invisible = /^[\p{M}\p{Cf}]+$/u

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

export function textWidth(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += characterWidth(segment)
  return width
}

/** Cuts a text that is too wide, and ends it with …. */
export function cutText(text: string, widthMax: number): string {
  if (textWidth(text) <= widthMax) return text
  let [cut, width] = ['', 0]
  for (const { segment } of segmenter.segment(text)) {
    width += characterWidth(segment)
    if (width >= widthMax) break
    cut += segment
  }
  return `${cut}…`
}
