import { closeSync, existsSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs'
import type { PetStore } from '@petstore/sdk'
import { exportPages, type FileFormat } from '@petstore/sdk/pet-files'
import type { Command } from 'commander'
import { declareCalls } from '../calls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, withAdvice } from '../failure.ts'
import { printResult } from '../print-result.ts'
import { connect, serviceUrl } from '../shop/connect.ts'
import type { Terminal } from '../terminal.ts'
import { chooseFormat, formatNames } from './format.ts'
import { patience } from './patience.ts'
import { progressBar } from './progress-bar.ts'
import { progressFile, runAgain } from './progress-file.ts'
import { writeWhole } from './write-whole.ts'

interface Options {
  readonly format?: string
  readonly dryRun?: boolean
  readonly overwrite?: boolean
}

/** The state of an interrupted export. */
interface Progress {
  readonly url: string
  readonly format: string
  readonly cursor: string
  readonly bytes: number
  readonly pets: number
  readonly savedAt: number
}

/** An older export starts again from the beginning: a file should show the shop at about one time. */
const resumableMs = 24 * 60 * 60 * 1000

const standardOutput = '-'

export function addExport(program: Command, terminal: Terminal): void {
  const command = declareCalls(program.command('export'), 'listProfiles', 'listCategories', 'countPets')
    .description(
      'Write all categories and pets, with stock and status, to a file that petstore import and the web console read. CSV has pets only. After an interruption, run it again to continue.',
    )
    .argument('[file]', 'the file to write; - or nothing for standard output', standardOutput)
    .option('--format <format>', `${formatNames.join(' or ')}; chosen by the file extension unless given`)
    .option('--dry-run', 'only count the pets')
    .option('--overwrite', 'replace an existing file')
    .action(async (file: string, options: Options) => runExport(terminal, command, file, options))
  withExamples(
    command,
    ['petstore export pets.ndjson', 'export everything, to import it elsewhere'],
    ['petstore export --format csv | head', 'preview the export'],
  )
}

async function runExport(terminal: Terminal, command: Command, file: string, options: Options): Promise<void> {
  const { name, format } = chooseFormat(file, options.format)
  const shop = connect(terminal, command, patience)
  const { total } = await shop.pets.counts()
  if (options.dryRun) {
    const text = `Would write ${total.toLocaleString('en')} pets and their categories.`
    return printResult(terminal, command, { dryRun: true, pets: total }, text)
  }
  if (file === standardOutput) {
    // A file or another program gets every character; a terminal gets no control characters.
    const write = terminal.isOutputTerminal ? terminal.write : terminal.writeUnchanged
    for await (const { text } of exportPages(shop, { format, columns: 'portable' })) await write(text)
    return
  }
  if (existsSync(file) && !options.overwrite) {
    throw new Failure(`${file} already exists. Choose another name, or use --overwrite.`, exitCodes.misused)
  }
  const pets = await exportToFile({ terminal, shop, file, name, format, total, url: serviceUrl(terminal, command) })
  const text = `Wrote ${pets.toLocaleString('en')} pets to ${file}.`
  await printResult(terminal, command, { dryRun: false, pets, file, format: name }, text)
}

interface Export {
  readonly terminal: Terminal
  readonly shop: PetStore
  readonly file: string
  readonly name: string
  readonly format: FileFormat
  readonly total: number
  readonly url: string
}

/** Returns how many pets the file has. */
async function exportToFile({ terminal, shop, file, name, format, total, url }: Export): Promise<number> {
  const part = `${file}.part`
  const progress = progressFile<Progress>(`${file}.progress`)
  const found = progress.read()
  const isSame = found?.url === url && found.format === name && terminal.now() - found.savedAt < resumableMs
  // After a power cut the file may lack what the progress says, and would be filled up with zeros.
  const written = statSync(part, { throwIfNoEntry: false })?.size ?? -1
  const resumed = isSame && written >= found.bytes ? found : undefined
  if (resumed) terminal.printMessage(`Continuing after ${resumed.pets} pets.\n`)
  else progress.remove()
  let [bytes, pets] = [resumed?.bytes ?? 0, resumed?.pets ?? 0]
  const bar = progressBar(terminal)
  const removeInterruptHandler = terminal.onInterrupt(() => {
    bar.end()
    terminal.printMessage(`Interrupted after ${pets} pets. ${runAgain}\n`)
  })
  const target = openSync(part, resumed ? 'r+' : 'w')
  try {
    // Drop what was written after progress was last saved; it is written again.
    ftruncateSync(target, bytes)
    const pages = exportPages(shop, { format, columns: 'portable', cursor: resumed?.cursor })
    for await (const { text, pets: count, next } of pages) {
      bytes += writeWhole(target, text, bytes)
      pets += count
      if (next) progress.save({ url, format: name, cursor: next, bytes, pets, savedAt: terminal.now() })
      bar.update(pets / Math.max(1, total), `${pets.toLocaleString('en')} of ${total.toLocaleString('en')} pets`)
    }
  } catch (error) {
    throw progress.read() ? withAdvice(error, runAgain) : error
  } finally {
    removeInterruptHandler()
    bar.clear()
    closeSync(target)
  }
  renameSync(part, file)
  progress.remove()
  return pets
}
