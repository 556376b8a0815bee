import { Argument, type Command } from 'commander'
import { withExamples } from './examples.ts'
import type { Terminal } from './terminal.ts'

/** A place in the tree of commands, such as `keys create`, and the words that may follow. */
interface Place {
  readonly path: string
  readonly words: readonly { readonly word: string; readonly says: string }[]
}

const shells: Record<string, (places: readonly Place[]) => string> = { bash, zsh, fish }

export function addCompletion(program: Command, terminal: Terminal): void {
  const completion = program
    .command('completion')
    .description('Print what makes a shell complete the words of petstore.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .action(async (shell: string) => {
      await terminal.write(shells[shell]?.(placesIn(program, [])) ?? '')
    })
  withExamples(
    completion,
    ['source <(petstore completion bash)', 'in ~/.bashrc'],
    ['source <(petstore completion zsh)', 'in ~/.zshrc, after compinit'],
    ['petstore completion fish > ~/.config/fish/completions/petstore.fish', 'once, for fish'],
  )
}

function placesIn(command: Command, path: readonly string[]): Place[] {
  const helper = command.createHelp()
  const options = [...helper.visibleOptions(command), ...(path.length > 0 ? helper.visibleGlobalOptions(command) : [])]
  const words = [
    ...command.commands.map((sub) => ({ word: sub.name(), says: sub.description() })),
    ...options.flatMap(({ long, description }) => (long ? [{ word: long, says: description }] : [])),
  ]
  return [{ path: path.join(' '), words }, ...command.commands.flatMap((sub) => placesIn(sub, [...path, sub.name()]))]
}

const cases = (places: readonly Place[]): string =>
  places.map(({ path, words }) => `    '${path}') echo '${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')

/** Both walk down the words typed so far to the deepest place there is; nothing known means names of files. */
function bash(places: readonly Place[]): string {
  return `_petstore_words() {
  case "$1" in
${cases(places)}
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

function zsh(places: readonly Place[]): string {
  return `#compdef petstore
_petstore_words() {
  case "$1" in
${cases(places)}
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

function fish(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const at = (path: string) => `-n ${quoted(`test "$(__petstore_at)" = "${path}"`)}`
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ word, says }) =>
      word.startsWith('--')
        ? `complete -c petstore ${at(path)} -l ${word.slice(2)} -d ${quoted(says)}`
        : `complete -c petstore -f ${at(path)} -a ${word} -d ${quoted(says)}`,
    ),
  )
  return `function __petstore_at
  set -l at
  for word in (commandline -opc)[2..]
    if contains -- (string join -- ' ' $at $word) ${places
      .filter(({ path }) => path !== '')
      .map(({ path }) => quoted(path))
      .join(' ')}
      set at $at $word
    end
  end
  string join -- ' ' $at
end
${lines.join('\n')}
`
}
