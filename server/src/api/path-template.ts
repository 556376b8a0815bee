/** Puts parameters into a path such as `/pets/{petId}`, or a text with one in it; it is taken apart once. */
export function pathTemplate(path: string): (params: Readonly<Record<string, string>>) => string {
  // Every second piece is the name of a parameter.
  const pieces = path.split(/\{(\w+)\}/)
  return (params) => {
    let filled = ''
    let isName = false
    for (const piece of pieces) {
      filled += isName ? encoded(params[piece] ?? '') : piece
      isName = !isName
    }
    return filled
  }
}

/** Most parameters are ids, which look the same when they are encoded. */
const encoded = (value: string): string => (/^\w*$/.test(value) ? value : encodeURIComponent(value))
