import type { Finding } from '@petstore/server/doctor'
import type { Command } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'

const colors = { ok: 32, warning: 33, error: 31 }

export function addDoctor(program: Command, terminal: Terminal): void {
  const doctor = program
    .command('doctor')
    .description(
      'Check configuration, database, data, clock, disk and service, and suggest fixes. Exits with 1 if it finds a problem.',
    )
    .option('--mend', 'repair the data: add missing order and stock history, events and counts')
    .action(async ({ mend = false }: { mend?: boolean }, command: Command) => {
      const { examine } = await import('@petstore/server/doctor')
      const { json, url } = command.optsWithGlobals<{ json?: boolean; url?: string }>()
      const env = url === undefined ? terminal.env : { ...terminal.env, PETSTORE_URL: url }
      const findings = await examine({ env, now: terminal.now, mend })
      await terminal.writeUnchanged(json ? `${toJson(findings, 2)}\n` : formatFindings(findings, terminal.hasColors))
      if (findings.some(({ state }) => state === 'error')) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    doctor,
    ['petstore doctor', 'before the first start, or if something is wrong'],
    ['petstore doctor --json', 'for monitoring'],
    ['petstore doctor --mend', 'after doctor found missing data'],
  )
}

function formatFindings(findings: readonly Finding[], hasColors: boolean): string {
  const state = (finding: Finding) =>
    hasColors ? `\x1b[${colors[finding.state]}m${finding.state}\x1b[39m` : finding.state
  return findings
    .map((finding) => {
      const { check, says, advice } = finding
      return `${check.padEnd(14)} ${state(finding)}${' '.repeat(7 - finding.state.length)} ${stripControls(says)}\n${advice ? `${' '.repeat(23)}→ ${stripControls(advice)}\n` : ''}`
    })
    .join('')
}
