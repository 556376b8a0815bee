import { Command, type ErrorOptions } from 'commander'

/** A command that suggests only names that a typo explains; the parser alone would suggest `copy` for `nope`. */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): Command {
    return new SuggestingCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(keepCloseNames(message), options)
  }
}

/** Removes the names from the parser's suggestion that are not close. */
function keepCloseNames(message: string): string {
  const [suggestion, word, names] = /(?<='(.+)')\n\(Did you mean (?:one of )?(.+)\?\)$/.exec(message) ?? []
  if (suggestion === undefined || word === undefined || names === undefined) return message
  const close = names.split(', ').filter((name) => isClose(word, name))
  const question = `\n(Did you mean ${close.length > 1 ? 'one of ' : ''}${close.join(', ')}?)`
  return message.slice(0, -suggestion.length) + (close.length > 0 ? question : '')
}

/** Whether two words differ in one place only: in two letters that are swapped, or in up to a third of the letters. */
function isClose(one: string, other: string): boolean {
  const [a, b] = [one.replace(/^--/, ''), other.replace(/^--/, '')]
  const lengthMax = Math.max(a.length, b.length)
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let same = 0
  while (same < Math.min(a.length, b.length) - start && a.at(-1 - same) === b.at(-1 - same)) same++
  const [before, after] = [a.slice(start, a.length - same), b.slice(start, b.length - same)]
  const isSwapped = before.length === 2 && before === [...after].reverse().join('')
  return isSwapped || Math.max(before.length, after.length) <= Math.max(1, lengthMax / 3)
}
