import { Argument, type Command } from 'commander'
import { withExamples } from './examples.ts'
import type { Terminal } from './terminal.ts'

/** A node in the tree of commands, such as `keys create`, and the words that may follow it. */
interface CommandNode {
  readonly path: string
  readonly words: readonly { readonly word: string; readonly description: string }[]
}

const shells: Record<string, (nodes: readonly CommandNode[]) => string> = { bash, zsh, fish }

export function addCompletion(program: Command, terminal: Terminal): void {
  const completion = program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action(async (shell: string) => {
      await terminal.write(shells[shell]?.(collectNodes(program, [])) ?? '')
    })
  withExamples(
    completion,
    ['source <(petstore completion bash)', 'in ~/.bashrc'],
    ['source <(petstore completion zsh)', 'in ~/.zshrc, after compinit'],
    ['petstore completion fish > ~/.config/fish/completions/petstore.fish', 'once, for fish'],
  )
}

function collectNodes(command: Command, path: readonly string[]): CommandNode[] {
  const helper = command.createHelp()
  const options = [...helper.visibleOptions(command), ...(path.length > 0 ? helper.visibleGlobalOptions(command) : [])]
  const words = [
    ...command.commands.map((sub) => ({ word: sub.name(), description: sub.description() })),
    ...options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
  ]
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((sub) => collectNodes(sub, [...path, sub.name()])),
  ]
}

const formatCases = (nodes: readonly CommandNode[]): string =>
  nodes.map(({ path, words }) => `    '${path}') echo '${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')

/** bash and zsh follow the typed words to the deepest node; where nothing fits, they complete file names. */
function bash(nodes: readonly CommandNode[]): string {
  return `_petstore_words() {
  case "$1" in
${formatCases(nodes)}
  esac
}
_petstore() {
  local path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$(_petstore_words "\${path:+$path }$word")" ]; then path="\${path:+$path }$word"; fi
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_petstore_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _petstore petstore
`
}

function zsh(nodes: readonly CommandNode[]): string {
  return `#compdef petstore
_petstore_words() {
  case "$1" in
${formatCases(nodes)}
  esac
}
_petstore() {
  local at='' word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    if [[ -n "$(_petstore_words "\${at:+$at }$word")" ]]; then at="\${at:+$at }$word"; fi
  done
  compadd -- \${(s: :)"$(_petstore_words "$at")"}
  _files
}
if [[ "$funcstack[1]" == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`
}

function fish(nodes: readonly CommandNode[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const at = (path: string) => `-n ${quote(`test "$(__petstore_at)" = "${path}"`)}`
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(({ word, description }) =>
      word.startsWith('--')
        ? `complete -c petstore ${at(path)} -l ${word.slice(2)} -d ${quote(description)}`
        : `complete -c petstore -f ${at(path)} -a ${word} -d ${quote(description)}`,
    ),
  )
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
${lines.join('\n')}
`
}
