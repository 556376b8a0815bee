import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, told } from '../failure.ts'
import { connect, serviceUrl } from '../shop/connect.ts'
import { wholeNumber } from '../shop/options.ts'
import type { Terminal } from '../terminal.ts'
import { formatNames, formatOf } from './format.ts'
import { type Counts, ImportedBefore, importRecords } from './import-records.ts'
import { progressBar } from './progress-bar.ts'
import { progressFile } from './progress-file.ts'
import { openReport } from './refusals.ts'
import { begin, type Progress } from './resume.ts'

interface Options {
  readonly format?: string
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly fromLine?: number
  readonly report?: string
}

/** A limit's minute is waited for, and a service that restarts. */
const patienceMs = 10 * 60 * 1000
const standardInput = '-'

export function addImport(program: Command, terminal: Terminal): void {
  const command = program
    .command('import')
    .description(
      'Register pets from a file, 100 at a time, with categories, stock and status. Interrupted, it goes on where it was when it is begun again. Each pet costs a request of the key’s limits, and as much again where its stock is set; when none is left it waits.',
    )
    .argument('<file>', 'NDJSON or CSV as petstore export writes it; - for the standard input, which cannot be resumed')
    .option('--format <format>', `${formatNames.join(' or ')}, in place of what the name says`)
    .option('--dry-run', 'only look through the file and say what would be done')
    .option('--report <file>', 'write every refused line to this file, as NDJSON')
    .option('--again', 'import a file that was imported before once more, from the beginning')
    .option('--from-line <line>', 'begin at this line', wholeNumber)
    .action(async (file: string, options: Options) => runImport(terminal, command, file, options))
  withExamples(
    command,
    ['petstore import pets.ndjson --dry-run', 'what would happen'],
    ['petstore import pets.csv --report refused.ndjson', 'import, and keep what was refused'],
    ['petstore import pets.ndjson', 'again, after it was interrupted: goes on'],
  )
}

async function runImport(terminal: Terminal, command: Command, file: string, options: Options): Promise<void> {
  const isFile = file !== standardInput
  if (isFile && !existsSync(file)) throw new Failure(`There is no file ${file}.`, exitCodes.misused)
  const { format } = formatOf(file, options.format)
  const { dryRun = false } = options
  let sent = 0
  const counting = (url: string, init: RequestInit) => {
    sent++
    return fetch(url, init)
  }
  const shop = connect(terminal, command, { totalMs: patienceMs, fetch: counting })
  const url = serviceUrl(terminal, command)
  const digest = isFile ? await digestOf(file) : randomUUID()
  const kept = isFile && !dryRun ? progressFile<Progress>(`${file}.progress`) : undefined
  const begun = begin(kept, options, { url, digest, now: terminal.now() })
  if (begun.isResumed) terminal.tell(`Going on after line ${begun.line}.\n`)

  const size = isFile ? statSync(file).size : 0
  const bar = progressBar(terminal)
  const report = openReport(terminal, options.report, begun.isResumed)
  const progress = (line: number, counts: Counts): Progress => {
    return { url, digest, run: begun.run, line, counts, savedAt: terminal.now() }
  }
  // Before the first request: whoever begins it again must find that it was begun. One that goes on keeps its time, because the
  // batch that was under way is as old as that.
  if (!begun.isResumed) kept?.save(progress(begun.line, begun.counts))
  try {
    const counts = await importRecords({
      shop,
      sent: () => sent,
      lines: format.read(isFile ? createReadStream(file) : terminal.stdin),
      after: begun.line,
      counts: begun.counts,
      isResumed: begun.isResumed,
      idempotency: `import-${digest.slice(0, 32)}-${begun.run}`,
      dryRun,
      refused: report.add,
      done: (line, bytes, counts) => {
        kept?.save(progress(line, counts))
        bar.show(size === 0 ? 0 : bytes / size, `${counts.pets.toLocaleString('en')} pets`)
      },
    })
    kept?.remove()
    bar.end()
    await tellResult(terminal, command, counts, { dryRun, refusals: report.end() })
  } catch (error) {
    bar.end()
    if (error instanceof ImportedBefore) kept?.remove()
    const { message, exitCode } = told(error)
    throw new Failure(kept?.read() ? `${message}\nThe same command goes on from here.` : message, exitCode)
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

async function tellResult(
  terminal: Terminal,
  command: Command,
  { pets, categories, refused }: Counts,
  { dryRun, refusals }: { dryRun: boolean; refusals: readonly object[] },
): Promise<void> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const counted = (count: number, one: string, many: string) =>
    `${count.toLocaleString('en')} ${count === 1 ? one : many}`
  const verb = dryRun ? 'Would import' : 'Imported'
  await terminal.write(
    json
      ? `${toJson({ dryRun, pets, categories, refused, refusals })}\n`
      : `${verb} ${counted(pets, 'pet', 'pets')}; new: ${counted(categories, 'category', 'categories')}; refused: ${counted(refused, 'line', 'lines')}.\n`,
  )
  if (refused > 0) terminal.exitCode = exitCodes.failed
}
