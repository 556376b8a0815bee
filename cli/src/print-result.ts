import type { Command } from 'commander'
import { toJson } from './controls.ts'
import type { Terminal } from './terminal.ts'

/** Prints the result of a command: these facts with --json, this text otherwise. */
export async function printResult(
  { write }: Terminal,
  command: Command,
  facts: Readonly<Record<string, unknown>>,
  text: string,
): Promise<void> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  await write(`${json ? toJson(facts) : text}\n`)
}
