/** Puts parameters into a path such as `/pets/{petId}`; the path is taken apart once. */
export function pathTemplate(path: string): (params: Readonly<Record<string, string>>) => string {
  // Every second piece is the name of a parameter.
  const pieces = path.split(/\{(\w+)\}/)
  return (params) =>
    pieces.map((piece, index) => (index % 2 === 0 ? piece : encodeURIComponent(params[piece] ?? ''))).join('')
}
