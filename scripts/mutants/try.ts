// Puts one mutant into a tree, and runs tests until one fails.
import { readFileSync } from 'node:fs'
import type { Engine } from '../../server/test/harness/run/test-selection.ts'
import { inBatches, type Run } from './choose.ts'
import { applyTo, type Mutant } from './mutant.ts'
import type { Tree } from './tree.ts'

export interface Verdict {
  readonly verdict: 'noticed' | 'hung' | 'survived'
  /** The test that noticed it. */
  readonly by?: string
}

export type Environments = Readonly<Record<Engine, () => Promise<Readonly<Record<string, string>>>>>

/** Tests that have passed without a mutant. */
const passing = new Set<string>()
const nameOf = ({ file, engine }: Run): string => `${engine} ${file}`

export async function tryMutant(
  mutant: Mutant,
  runs: readonly Run[],
  tree: Tree,
  environments: Environments,
): Promise<Verdict> {
  const source = readFileSync(mutant.file, 'utf8')
  const mutated = applyTo(source, mutant)
  try {
    for (const batch of inBatches(runs)) {
      tree.write(mutant.file, mutated)
      const first = await runBatch(batch, tree, environments)
      if (first.outcome === 'passed') continue
      if (first.outcome === 'hung') return { verdict: 'hung', by: namesOf(batch) }
      const failed = batch.filter(({ file }) => first.output.includes(`${file}:`))
      const suspects = failed.length === 1 ? failed : batch
      // On a busy machine a test may fail by itself. It counts if it passes without the mutant, and fails again with it.
      if (!suspects.every((run) => passing.has(nameOf(run)))) {
        tree.write(mutant.file, source)
        if ((await runBatch(suspects, tree, environments)).outcome !== 'passed') continue
        for (const run of suspects) passing.add(nameOf(run))
        tree.write(mutant.file, mutated)
      }
      const again = await runBatch(suspects, tree, environments)
      if (again.outcome !== 'passed') return { verdict: 'noticed', by: failedTest(again.output) ?? namesOf(suspects) }
    }
    return { verdict: 'survived' }
  } finally {
    tree.write(mutant.file, source)
  }
}

const namesOf = (runs: readonly Run[]): string => runs.map(({ file }) => file).join(' ')
const failedTest = (output: string): string | undefined => /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1]

/** Generous, because other programs may use the machine. */
const limitMs = (batch: readonly Run[]): number => 120_000 + 10 * batch.reduce((sum, { ms }) => sum + ms, 0)

async function runBatch(batch: readonly Run[], tree: Tree, environments: Environments) {
  const env = await environments[batch[0]?.engine ?? 'sqlite']()
  const child = Bun.spawn(
    [
      ...['bun', 'test', '--bail', '--only-failures', '--timeout', '60000', '--no-orphans'],
      ...batch.map(({ file }) => `./${file}`),
    ],
    {
      cwd: tree.path,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: limitMs(batch),
      killSignal: 'SIGTERM',
    },
  )
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const outcome = child.signalCode === 'SIGTERM' ? 'hung' : child.exitCode === 0 ? 'passed' : 'failed'
  return { outcome, output: stdout + stderr } as const
}
