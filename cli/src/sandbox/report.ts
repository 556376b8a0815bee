import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { toJunit } from '@petstore/judge/output/junit'
import { requestsOf, toLines } from '@petstore/judge/output/text'
import { isMet, type Requirement } from '@petstore/judge/requirement'
import type { Report } from '@petstore/sdk/testing'
import { type Command, Option } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { serviceUrl } from '../shop/connect.ts'
import { parseList } from '../shop/options.ts'
import type { Terminal } from '../terminal.ts'
import { callSandbox } from './call-sandbox.ts'

export interface ReportOptions {
  readonly require: Requirement['level']
  readonly seen?: string[]
  readonly junit?: string
}

export function addReport(group: Command, terminal: Terminal): void {
  const report = group
    .command('report')
    .description(
      'Show how a client behaved in the sandbox that PETSTORE_URL or --url names, rule by rule. Exits with 1 if a must rule failed.',
    )
  addReportOptions(report).action(async (options: ReportOptions) => {
    const url = serviceUrl(terminal, report)
    await showReport(() => callSandbox<Report>(terminal, url, 'GET', 'report'), {
      ...options,
      command: report,
      terminal,
    })
  })
  withExamples(
    report,
    ['petstore sandbox report', 'after a test run; in CI, it fails if a must rule failed'],
    [
      'petstore sandbox report --require should --seen repeats,retry-after',
      'stricter: both situations must have come up',
    ],
    ['petstore sandbox report --junit report.xml', 'for the test results of a CI server'],
  )
}

/** What is required of the client, and where the report goes. */
export function addReportOptions(command: Command): Command {
  const level = new Option('--require <level>', 'exit with 1 if a rule of this level failed; should includes must')
  return command
    .addOption(level.choices(['must', 'should']).default('must'))
    .option('--seen <rules>', 'exit with 1 if the situation for one of these rules never came up', parseList)
    .option('--junit <file>', 'write the report as JUnit XML, one test case for each rule')
}

interface Shown extends ReportOptions {
  readonly command: Command
  readonly terminal: Terminal
}

/** Prints the report. The command fails if the report does not meet the requirements. */
export async function showReport(read: () => Promise<Report>, options: Shown): Promise<Report> {
  const { require: level, seen = [], junit, command, terminal } = options
  const required = { level, seen }
  const result = await waitForResponses(read)
  if (isOpen(result)) terminal.printMessage(`${requestsOf(result)}\n`)
  if (junit !== undefined) writeJunit(junit, toJunit(result, required))
  const { json } = command.optsWithGlobals()
  const text = () => toLines(result).map((line) => `${stripControls(line)}\n`)
  await terminal.writeUnchanged(json ? `${toJson(result, 2)}\n` : text().join(''))
  // After the report was shown, so that a wrong name does not lose it.
  checkNames(seen, result)
  if (!isMet(result, required)) terminal.exitCode = exitCodes.failed
  return result
}

/** How long to wait for requests that have no response yet, or that failed a moment ago and may be sent again. */
const openMsMax = 30_000
const lookEveryMs = 200

/** Whether what is still to come may change the verdicts. */
const isOpen = ({ requests: { open, undecided } }: Report): boolean => open + undecided > 0

interface Time {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
}

/** Returns the report once no verdict is open or the time is over. */
export async function waitForResponses(
  read: () => Promise<Report>,
  { now, sleep }: Time = { now: () => performance.now(), sleep: pause },
): Promise<Report> {
  const until = now() + openMsMax
  for (;;) {
    const report = await read()
    if (!isOpen(report) || now() >= until) return report
    await sleep(lookEveryMs)
  }
}

function checkNames(wanted: readonly string[], { rules }: Report): void {
  const names = rules.map(({ rule }) => rule)
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new Failure(`There is no rule ${unknown.join(', ')}. The rules are ${names.join(', ')}.`, exitCodes.misused)
}

function writeJunit(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}.`, exitCodes.failed)
  }
}
