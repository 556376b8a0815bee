import type { Report, RuleResult } from '@petstore/sdk/testing'
import type { Command } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { serviceUrl } from '../shop/connect.ts'
import { parseInteger } from '../shop/options.ts'
import type { Terminal } from '../terminal.ts'

export function addReport(group: Command, terminal: Terminal): void {
  const report = group
    .command('report')
    .description('Show how a client behaved in the sandbox that PETSTORE_URL or --url names, rule by rule.')
    .option('--require <percent>', 'exit with 1 if the score is lower', parseInteger)
    .action(async ({ require }: { require?: number }) => {
      const result = await readReport(serviceUrl(terminal, report), terminal)
      const { json } = report.optsWithGlobals()
      await terminal.writeUnchanged(json ? `${toJson(result, 2)}\n` : formatReport(result))
      if (require !== undefined && (result.score ?? -1) < require) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    report,
    ['petstore sandbox report', 'after a test run'],
    ['petstore sandbox report --require 100', 'in CI: fails unless every judged rule passed'],
  )
}

async function readReport(url: string, { env }: Terminal): Promise<Report> {
  const key = env.PETSTORE_SANDBOX_KEY || env.PETSTORE_API_KEY
  const response = await fetch(`${url}/_sandbox/report`, {
    headers: { Accept: 'application/json', ...(key && { 'X-API-Key': key }) },
    // The key is for this host only.
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw new Failure(
      `${url} did not respond: ${reasonOf(error)}. Start the host with petstore sandbox, or set PETSTORE_URL to your sandbox.`,
      exitCodes.unavailable,
    )
  })
  if (response.ok) return (await response.json()) as Report
  if (response.status === 401 || response.status === 403) {
    throw new Failure('The host wants a key: set PETSTORE_SANDBOX_KEY, or PETSTORE_API_KEY.', exitCodes.notAllowed)
  }
  throw new Failure(`There is no sandbox at ${url}: set PETSTORE_URL or --url to its URL.`, exitCodes.notFound)
}

const marks = { passed: '✓', failed: '✗', not_seen: '–' }

/** One line for each rule, with what broke it and how to do better. */
export function formatReport({ score, rules }: Report): string {
  const summary = score === null ? 'Nothing to judge yet.' : `Score: ${score} %`
  return `${rules.map(formatRule).join('')}${summary}\n`
}

function formatRule({ title, verdict, violations, violationCount, advice }: RuleResult): string {
  const note = verdict === 'not_seen' ? ' (not seen, does not count)' : ''
  const more = violationCount - violations.length
  const lines = [
    ...violations.map(({ explanation }) => `    ${explanation}`),
    ...(more > 0 ? [`    ${more} more`] : []),
    ...(verdict === 'failed' ? [`    → ${advice}`] : []),
  ]
  return stripLines([`${marks[verdict]} ${title}${note}`, ...lines])
}

const stripLines = (lines: readonly string[]): string => lines.map((line) => `${stripControls(line)}\n`).join('')
