import { PetStoreError } from '@petstore/sdk'
import { batchSizeOf, type ImportCounts, ImportedBeforeError, importRecords } from '@petstore/sdk/pet-files'
import type { Command } from 'commander'
import { declareCalls } from '../calls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, withAdvice } from '../failure.ts'
import { printResult } from '../print-result.ts'
import { connect, serviceUrl } from '../shop/connect.ts'
import { parseInteger, parseList } from '../shop/options.ts'
import type { Terminal } from '../terminal.ts'
import { chooseFormat, formatNames } from './format.ts'
import { patience } from './patience.ts'
import { progressBar } from './progress-bar.ts'
import { progressFile, runAgain } from './progress-file.ts'
import { openReport } from './rejections.ts'
import { chooseStart, type Progress } from './resume.ts'
import { openSource } from './source.ts'
import { watchRequests } from './watch-requests.ts'

interface Options {
  readonly format?: string
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly fromLine?: number
  readonly report?: string
  readonly columns?: readonly string[]
}

/** Stands for a column that is not read. */
const leftOut = '-'
const notResumable = 'Standard input and pipes cannot be resumed; up to 100 lines after that may be imported too.'
const sameKey =
  'Pets may already have been imported, so add the scope to this key; another key would import them twice. '
const importedBefore =
  'This file was imported before, with this key and within the last day; nothing was added. To import it again: --again. To start after the lines that are imported: --from-line <line>'

export function addImport(program: Command, terminal: Terminal): void {
  const command = declareCalls(
    program.command('import'),
    'getLimits',
    'createPets',
    'listCategories',
    'createCategory',
    'setInventoryItems',
    'updatePet',
  )
    .description(
      'Create pets from a file, up to 100 at a time, with categories, stock and status. After an interruption, run it again to continue. Each pet costs one request of the key’s limits, and one more if its stock is set; when none is left, the command waits.',
    )
    .argument(
      '<file>',
      'NDJSON or CSV from petstore export or the web console; - for standard input, which like a pipe cannot be resumed',
    )
    .option('--format <format>', `${formatNames.join(' or ')}; chosen by the file extension unless given`)
    .option('--dry-run', 'only check the file and report what would be imported')
    .option('--report <file>', 'write every rejected line to this file, with the reason, as NDJSON')
    .option(
      '--columns <field,…>',
      'what each column of a CSV file holds, in order: name, category, stock and so on; - to leave one out',
      parseList,
    )
    .option('--again', 'import a file again, from the beginning')
    .option('--from-line <line>', 'start at this line', parseInteger)
    .action(async (file: string, options: Options) => runImport(terminal, command, file, options))
  withExamples(
    command,
    ['petstore import pets.ndjson --dry-run', 'check the file'],
    ['petstore import pets.csv --report rejected.ndjson', 'import, and save the rejected lines'],
    ['petstore import stock-list.csv --columns name,category,-,stock', 'a file with other column names'],
    ['petstore import pets.ndjson', 'run again after an interruption: continues'],
  )
}

async function runImport(terminal: Terminal, command: Command, file: string, options: Options): Promise<void> {
  const { format } = chooseFormat(file, options.format)
  const { dryRun = false } = options
  const requests = watchRequests()
  const shop = connect(terminal, command, { ...patience, fetch: requests.fetch })
  const url = serviceUrl(terminal, command)
  const { isFile, digest, size, read } = await openSource(file, terminal)
  const progress = isFile && !dryRun ? progressFile<Progress>(`${file}.progress`) : undefined
  const limits = progress && (await shop.limits.get())
  const keyId = limits?.keyId ?? 0
  const perMinute = limits?.windows.find(({ name }) => name === 'minute')?.limit
  const batchSize = perMinute && batchSizeOf(perMinute)
  const start = chooseStart(progress, options, { url, keyId, digest, now: terminal.now(), batchSize })
  if (start.isInterrupted) terminal.printMessage(`Continuing after line ${start.afterLine}.\n`)

  const bar = progressBar(terminal)
  const report = openReport(terminal, { path: options.report, isResumed: start.isInterrupted, isDryRun: dryRun })
  const save = (line: number, counts: ImportCounts) =>
    progress?.save({
      url,
      keyId,
      digest,
      run: start.run,
      batchSize: start.batchSize,
      line,
      counts,
      savedAt: terminal.now(),
    })
  // Saved before the first request, so that a restart knows the import has started. A resumed import keeps its old time: the
  // interrupted batch is as old as that.
  if (!start.isInterrupted) save(start.afterLine, start.counts)
  let [lastLine, pets] = [start.afterLine, start.counts.pets]
  const removeInterruptHandler = terminal.onInterrupt(() => {
    bar.end()
    const next = isFile ? howToGoOn(options) : notResumable
    const done = dryRun ? '.' : ` after line ${lastLine}: ${pets} pets are imported. ${next}`
    terminal.printMessage(`Interrupted${done}\n`)
  })
  const fail = (error: unknown): never => {
    bar.clear()
    // If nothing is registered, there is nothing to continue: a corrected file or another key may start again.
    const isDoneBefore = error instanceof ImportedBeforeError
    if (isDoneBefore || (!start.isInterrupted && !requests.mayHaveRegistered())) {
      progress?.remove()
      report.drop()
      throw isDoneBefore ? new Failure(importedBefore) : error
    }
    report.pause()
    const lacksScope = error instanceof PetStoreError && error.code === 'insufficient_scope'
    throw progress ? withAdvice(error, `${lacksScope ? sameKey : ''}${howToGoOn(options)}`) : error
  }
  const {
    newCategories: _names,
    requests: _cost,
    ...counts
  } = await importRecords(shop, {
    lines: format.read(read(), {
      columns: options.columns?.map((field) => (field === leftOut ? undefined : field)),
    }),
    start,
    idempotency: `import-${digest.slice(0, 32)}-${start.run}`,
    requestsSent: requests.sent,
    dryRun,
    onRejected: report.add,
    onProgress(line, bytes, counts) {
      save(line, counts)
      lastLine = line
      pets = counts.pets
      bar.update(size === 0 ? 0 : bytes / size, `${counts.pets.toLocaleString('en')} pets`)
    },
  })
    .catch(fail)
    .finally(removeInterruptHandler)
  progress?.remove()
  bar.clear()
  const rejections = report.end()
  await printResult(terminal, command, { dryRun, ...counts, rejections }, formatCounts(counts, dryRun))
  if (counts.rejected > 0) terminal.exitCode = exitCodes.failed
}

/** --again and --from-line start an import; the same command without them continues it. */
function howToGoOn({ again, fromLine }: Options): string {
  const started = again ? '--again' : fromLine === undefined ? undefined : '--from-line'
  return started ? `Run the command without ${started} to continue.` : runAgain
}

function formatCounts({ pets, categories, rejected }: ImportCounts, dryRun: boolean): string {
  const pluralize = (count: number, one: string, many: string) =>
    `${count.toLocaleString('en')} ${count === 1 ? one : many}`
  const verb = dryRun ? 'Would import' : 'Imported'
  return `${verb} ${pluralize(pets, 'pet', 'pets')}; new: ${pluralize(categories, 'category', 'categories')}; rejected: ${pluralize(rejected, 'line', 'lines')}.`
}
