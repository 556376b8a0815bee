/** A node in the tree of commands, such as `keys create`, and the words that may follow it. */
export interface CommandNode {
  readonly path: string
  readonly words: readonly Word[]
}

interface Word {
  readonly word: string
  readonly description: string
  /** The values of an option, as far as they are known. */
  readonly values?: readonly string[]
  readonly takesValue?: boolean
}

/** Two shell functions: the words that may follow a command, and the values of one of its options. */
function formatLookups(nodes: readonly CommandNode[]): string {
  const words = nodes.map(({ path, words }) => `    '${path}') echo '${words.map(({ word }) => word).join(' ')}' ;;`)
  const values = nodes.flatMap(({ path, words }) =>
    words.flatMap(({ word, values = [] }) =>
      values.length > 0 ? [`    '${path} ${word}') echo '${values.join(' ')}' ;;`] : [],
    ),
  )
  return `_petstore_words() {
  case "$1" in
${words.join('\n')}
  esac
}
_petstore_values() {
  case "$1" in
${values.join('\n')}
  esac
}`
}

/** bash and zsh follow the typed words to the deepest node; where nothing fits, they complete file names. */
export function bash(nodes: readonly CommandNode[]): string {
  return `${formatLookups(nodes)}
_petstore() {
  local path='' word found
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$(_petstore_words "\${path:+$path }$word")" ]; then path="\${path:+$path }$word"; fi
  done
  found="$(_petstore_values "$path \${COMP_WORDS[COMP_CWORD-1]}")"
  # A value may be a pattern such as order.*, which must not become file names.
  set -f
  mapfile -t COMPREPLY < <(compgen -W "\${found:-$(_petstore_words "$path")}" -- "\${COMP_WORDS[COMP_CWORD]}")
  set +f
}
complete -o default -F _petstore petstore
`
}

export function zsh(nodes: readonly CommandNode[]): string {
  return `#compdef petstore
${formatLookups(nodes)}
_petstore() {
  local at='' word found
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    if [[ -n "$(_petstore_words "\${at:+$at }$word")" ]]; then at="\${at:+$at }$word"; fi
  done
  found="$(_petstore_values "$at \${words[CURRENT-1]}")"
  compadd -- \${(s: :)\${found:-"$(_petstore_words "$at")"}}
  _files
}
if [[ "$funcstack[1]" == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`
}

export function fish(nodes: readonly CommandNode[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const at = (path: string) => `-n ${quote(`test "$(__petstore_at)" = "${path}"`)}`
  const line = (path: string, { word, description, values = [], takesValue = false }: Word) => {
    if (!word.startsWith('--')) return `complete -c petstore -f ${at(path)} -a ${word} -d ${quote(description)}`
    const value = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : takesValue ? ' -r' : ''
    return `complete -c petstore ${at(path)} -l ${word.slice(2)}${value} -d ${quote(description)}`
  }
  return `function __petstore_at
  set -l at
  for word in (commandline -opc)[2..]
    if contains -- (string join -- ' ' $at $word) ${nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => quote(path))
      .join(' ')}
      set at $at $word
    end
  end
  string join -- ' ' $at
end
${nodes.flatMap(({ path, words }) => words.map((word) => line(path, word))).join('\n')}
`
}
