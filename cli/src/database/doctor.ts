import type { Finding } from '@petstore/server/doctor'
import type { Command } from 'commander'
import { cleaned, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'

const colors = { well: 32, mind: 33, fault: 31 }

export function addDoctor(program: Command, terminal: Terminal): void {
  const doctor = program
    .command('doctor')
    .description(
      'Look at configuration, database, data, clock, disk and service, and say what to do. Ends with 1 at a fault.',
    )
    .option('--mend', 'write what is missing in the data: lines of history and ledger, events, counts')
    .action(async ({ mend = false }: { mend?: boolean }, command: Command) => {
      const { examine } = await import('@petstore/server/doctor')
      const findings = await examine({ env: terminal.env, now: terminal.now, mend })
      const { json } = command.optsWithGlobals()
      await terminal.writeAsIs(json ? `${toJson(findings, 2)}\n` : report(findings, terminal.hasColors))
      if (findings.some(({ state }) => state === 'fault')) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    doctor,
    ['petstore doctor', 'before a first start, or when something is odd'],
    ['petstore doctor --json', 'for a monitor'],
    ['petstore doctor --mend', 'after doctor has found that data is missing'],
  )
}

function report(findings: readonly Finding[], hasColors: boolean): string {
  const state = (finding: Finding) =>
    hasColors ? `\x1b[${colors[finding.state]}m${finding.state}\x1b[39m` : finding.state
  return findings
    .map((finding) => {
      const { check, says, advice } = finding
      return `${check.padEnd(14)} ${state(finding)}${' '.repeat(6 - finding.state.length)} ${cleaned(says)}\n${advice ? `${' '.repeat(22)}→ ${cleaned(advice)}\n` : ''}`
    })
    .join('')
}
