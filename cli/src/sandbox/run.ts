import { readFileSync } from 'node:fs'
import { type Fault, type Sandbox, startSandbox } from '@petstore/sdk/testing'
import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, reasonOf } from '../failure.ts'
import { runClient } from '../run-client.ts'
import { stopSignal, type Terminal } from '../terminal.ts'
import { addReportOptions, type ReportOptions, showReport } from './report.ts'
import { withHost } from './with-host.ts'

interface Options extends ReportOptions {
  readonly seed?: string
  readonly faults?: string
}

export function addRun(group: Command, terminal: Terminal): void {
  const command = group
    .command('run')
    .description(
      'Run a client, such as its tests, in a new sandbox, with PETSTORE_URL and PETSTORE_API_KEY set, and show the report. Exits with 1 if the client fails, sends nothing, or breaks a must rule.',
    )
    .argument('<client...>', 'the command that runs the client, after --')
    .option('--seed <text>', 'the same ids, names and faults each time')
    .option('--faults <file>', 'fault rules as JSON, as PUT _sandbox/faults takes them')
  addReportOptions(command).action(async (words: readonly string[], { seed, faults, ...options }: Options) => {
    const rules = faults === undefined ? [] : readFaults(faults)
    await withHost(terminal, async (host) => {
      const shop = await startSandbox({ host, seed })
      const signal = stopSignal(terminal)
      try {
        await setFaults(shop, rules)
        const variables = { PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.apiKey }
        const { json: isQuiet } = command.optsWithGlobals<{ json?: boolean }>()
        const failure = await runClient({ words, env: { ...terminal.env, ...variables }, signal, isQuiet })
        if (signal.aborted) throw new Failure('Interrupted.', exitCodes.interrupted)
        // A client that has ended sends nothing again.
        await shop.advance('1 minute')
        const { requests } = await showReport(() => shop.report(), { ...options, command, terminal })
        const reason = failure ?? (requests.seen === 0 ? 'The client sent nothing to PETSTORE_URL.' : undefined)
        if (reason !== undefined) throw new Failure(reason, exitCodes.failed)
      } finally {
        await shop.end()
      }
    })
  })
  withExamples(
    command,
    ['petstore sandbox run -- npm test', 'in CI: fails if the tests fail or a must rule does'],
    [
      'petstore sandbox run --faults faults.json --seed ci --junit report.xml -- pytest',
      'with faults, and a report for the CI server',
    ],
  )
}

function readFaults(file: string): readonly Fault[] {
  try {
    const { rules } = JSON.parse(readFileSync(file, 'utf8'))
    if (Array.isArray(rules)) return rules
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}.`, exitCodes.misused)
  }
  throw new Failure(`${file} has no rules, such as {"rules":[{"fault":"unavailable","times":1}]}.`, exitCodes.misused)
}

async function setFaults(shop: Sandbox, rules: readonly Fault[]): Promise<void> {
  try {
    for (const { fault, ...rule } of rules) await shop.fail(rule, fault)
  } catch (error) {
    throw new Failure(`The fault rules are not valid. ${reasonOf(error)}`, exitCodes.misused)
  }
}
