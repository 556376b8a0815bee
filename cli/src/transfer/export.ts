import { closeSync, existsSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import type { PetStore } from '@petstore/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, told } from '../failure.ts'
import { connect, serviceUrl } from '../shop/connect.ts'
import type { Terminal } from '../terminal.ts'
import { pagesOf } from './export-pages.ts'
import { type Format, formatNames, formatOf } from './format.ts'
import { progressBar } from './progress-bar.ts'
import { progressFile } from './progress-file.ts'

interface Options {
  readonly format?: string
  readonly dryRun?: boolean
  readonly overwrite?: boolean
}

/** What an export that was cut short needs to go on. */
interface Progress {
  readonly url: string
  readonly format: string
  readonly cursor: string
  readonly bytes: number
  readonly pets: number
}

const patienceMs = 10 * 60 * 1000
const standardOutput = '-'

export function addExport(program: Command, terminal: Terminal): void {
  const command = program
    .command('export')
    .description(
      'Write all categories and pets, with stock and status, to a file that petstore import reads. CSV has pets only. Interrupted, it goes on where it was when it is begun again.',
    )
    .argument('[file]', 'where to write; the standard output unless given', standardOutput)
    .option('--format <format>', `${formatNames.join(' or ')}, in place of what the name says`)
    .option('--dry-run', 'only say how much there is')
    .option('--overwrite', 'replace the file where there is one')
    .action(async (file: string, options: Options) => runExport(terminal, command, file, options))
  withExamples(
    command,
    ['petstore export pets.ndjson', 'everything, to be imported elsewhere'],
    ['petstore export --format csv | head', 'a look at it'],
  )
}

async function runExport(terminal: Terminal, command: Command, file: string, options: Options): Promise<void> {
  const { name, format } = formatOf(file, options.format)
  const shop = connect(terminal, command, { totalMs: patienceMs })
  const { total } = await shop.pets.counts()
  if (options.dryRun) {
    const { json } = command.optsWithGlobals<{ json?: boolean }>()
    const says = `Would write ${total.toLocaleString('en')} pets and their categories.\n`
    return terminal.write(json ? `${JSON.stringify({ dryRun: true, pets: total })}\n` : says)
  }
  if (file === standardOutput) {
    // A file or another program gets every character; a terminal none that steers it.
    const write = terminal.isShown ? terminal.write : terminal.writeAsIs
    for await (const { text } of pagesOf(shop, format, undefined)) await write(text)
    return
  }
  if (existsSync(file) && !options.overwrite) {
    throw new Failure(`There is a file ${file} already. Name another one, or use --overwrite.`, exitCodes.misused)
  }
  await exportToFile({ terminal, shop, file, name, format, total, url: serviceUrl(terminal, command) })
}

interface Exporting {
  readonly terminal: Terminal
  readonly shop: PetStore
  readonly file: string
  readonly name: string
  readonly format: Format
  readonly total: number
  readonly url: string
}

async function exportToFile({ terminal, shop, file, name, format, total, url }: Exporting): Promise<void> {
  const part = `${file}.part`
  const kept = progressFile<Progress>(`${file}.progress`)
  const found = kept.read()
  const resumed = found?.url === url && found.format === name && existsSync(part) ? found : undefined
  if (resumed) terminal.tell(`Going on after ${resumed.pets} pets.\n`)
  let [bytes, pets] = [resumed?.bytes ?? 0, resumed?.pets ?? 0]
  const bar = progressBar(terminal)
  const target = openSync(part, resumed ? 'r+' : 'w')
  try {
    // What was written after the place that was noted is written again.
    ftruncateSync(target, bytes)
    for await (const { text, count, next } of pagesOf(shop, format, resumed?.cursor)) {
      bytes += writeSync(target, text, bytes)
      pets += count
      if (next) kept.save({ url, format: name, cursor: next, bytes, pets })
      bar.show(pets / Math.max(1, total), `${pets.toLocaleString('en')} of ${total.toLocaleString('en')} pets`)
    }
  } catch (error) {
    const { message, exitCode } = told(error)
    throw new Failure(kept.read() ? `${message}\nThe same command goes on from here.` : message, exitCode)
  } finally {
    bar.end()
    closeSync(target)
  }
  renameSync(part, file)
  kept.remove()
  await terminal.write(`Wrote ${pets.toLocaleString('en')} pets to ${file}.\n`)
}
