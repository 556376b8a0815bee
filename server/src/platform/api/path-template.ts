/** Compiles a path such as `/keys/{keyId}`, or a text that contains one, into a function of its parameters. */
export function pathTemplate(path: string): (params: Readonly<Record<string, string>>) => string {
  // Every second piece is the name of a parameter.
  const pieces = path.split(/\{(\w+)\}/)
  return (params) => {
    let result = ''
    let isName = false
    for (const piece of pieces) {
      result += isName ? encode(params[piece] ?? '') : piece
      isName = !isName
    }
    return result
  }
}

/** Most parameters are ids, which need no encoding. */
const encode = (value: string): string => (/^\w*$/.test(value) ? value : encodeURIComponent(value))
