// Splits code into tokens for highlighting: on the server for pages, in the browser for responses.

const quoted = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\''
const number = '-?\\b\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b'
const words = (list) => `\\b(?:${list.replaceAll(' ', '|')})\\b`

// In each language, the first match wins.
const grammars = {
  json: {
    name: '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)',
    string: '"(?:[^"\\\\]|\\\\.)*"',
    word: words('true false null'),
    number,
  },
  bash: {
    comment: '(?<=^|\\s)#.*',
    string: '"(?:[^"\\\\]|\\\\[\\s\\S])*"|\'[^\']*\'',
    name: '\\$\\{?\\w+\\}?|^[A-Z_]+(?==)',
    word: words('curl jq export local for in do done if then else fi case esac while return echo sleep npm bun'),
    number: '(?<=\\s)--?[a-zA-Z][\\w-]*',
  },
  javascript: {
    comment: '//.*',
    string: `${quoted}|\`[^\`]*\``,
    word: words(
      'import from export const let function async await return if else for of while throw new try catch typeof true false null undefined',
    ),
    number,
  },
  python: {
    comment: '#.*',
    string: quoted,
    word: words(
      'import from as def return if elif else for in while with try except raise and or not True False None break continue',
    ),
    number,
  },
  http: {
    word: '^(?:HTTP/1\\.1 \\d+.*|(?:GET|POST|PUT|PATCH|DELETE) .*)',
    name: '^[A-Za-z][\\w-]*(?=: )|"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)',
    string: '(?<=[:[,{]\\s*)"(?:[^"\\\\]|\\\\.)*"',
  },
}

const patterns = Object.fromEntries(
  Object.entries(grammars).map(([language, grammar]) => [
    language,
    new RegExp(
      Object.entries(grammar)
        .map(([kind, source]) => `(?<${kind}>${source})`)
        .join('|'),
      'gm',
    ),
  ]),
)

/** The tokens of the code, in order; one without a kind is not highlighted. */
export function tokens(code, language) {
  const pattern = patterns[language]
  if (!pattern) return [{ text: code }]
  const pieces = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: code.slice(end, match.index) })
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined)
    pieces.push({ kind, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) pieces.push({ text: code.slice(end) })
  return pieces
}
