import { setTimeout as pause } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '@petstore/sdk/testing'
import { type Command, Option } from 'commander'
import { stripControls, toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { parseInteger } from '../shop/options.ts'
import { stopSignal, type Terminal } from '../terminal.ts'
import type { Challenge } from './challenge.ts'
import { challenges } from './challenges.ts'
import { checkedRules, judge, type Result, runChallenge, setUp } from './run-challenge.ts'
import { withHost } from './with-host.ts'

const timeoutSecondsDefault = 120
const lookEveryMs = 500
const names = challenges.map(({ name }) => name)

interface Options {
  readonly all?: boolean
  readonly timeout: number
}

export function addChallenge(group: Command, terminal: Terminal): void {
  const command = group
    .command('challenge')
    .description(
      'Set up a sandbox for a lesson, say what a client has to do, watch it and judge it. With a client after --, run it with PETSTORE_URL, PETSTORE_API_KEY and PETSTORE_CHALLENGE set; otherwise wait for one. Without a name, list the challenges.',
    )
    .argument('[name]', `one of ${names.join(', ')}`)
    .argument('[client...]', 'the command that runs the client, after --')
    .option('--all', 'every challenge, one after the other')
    .addOption(
      new Option('--timeout <seconds>', 'how long the client may take')
        .argParser(parseInteger)
        .default(timeoutSecondsDefault),
    )
    .action(async (name: string | undefined, rest: readonly string[], { all, timeout }: Options) => {
      // With --all, the first word already belongs to the client.
      const client = all && name !== undefined ? [name, ...rest] : rest
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      if (name === undefined && !all) return terminal.write(json ? `${toJson(listed, 2)}\n` : listText)
      if (all && client.length === 0) return command.error('error: --all needs the command of a client after --')
      const chosen = all ? challenges : [findChallenge(name ?? '')]
      const results = await withHost(terminal, (host) =>
        runAll(chosen, {
          host,
          client,
          timeoutMs: timeout * 1000,
          terminal,
          isQuiet: json === true,
          signal: stopSignal(terminal),
        }),
      )
      if (json) await terminal.write(`${toJson(results, 2)}\n`)
      if (results.some(({ passed }) => !passed)) terminal.exitCode = exitCodes.failed
    })
  withExamples(
    command,
    ['petstore sandbox challenge', 'list the challenges'],
    ['petstore sandbox challenge lost-responses', 'wait for a client and judge it'],
    ['petstore sandbox challenge --all -- node client.js', 'run a client through all of them'],
  )
}

const listed = challenges.map(({ name, lesson, task, rules, mustNotFail = [], result }) => ({
  name,
  lesson,
  task,
  rules: [...rules, ...mustNotFail],
  result,
}))
const nameWidth = Math.max(...names.map((name) => name.length))
const listText = challenges.map(({ name, lesson }) => `${name.padEnd(nameWidth)}  ${lesson}\n`).join('')

function findChallenge(name: string): Challenge {
  const found = challenges.find((challenge) => challenge.name === name)
  if (found) return found
  throw new Failure(`There is no challenge "${name}". There are ${names.join(', ')}.`, exitCodes.misused)
}

interface Run {
  readonly host: string
  readonly client: readonly string[]
  readonly timeoutMs: number
  readonly terminal: Terminal
  readonly isQuiet: boolean
  readonly signal: AbortSignal
}

async function runAll(chosen: readonly Challenge[], run: Run): Promise<Result[]> {
  const results: Result[] = []
  for (const challenge of chosen) {
    const shop = await startSandbox({ host: run.host })
    try {
      results.push(await runOne(shop, challenge, run))
      if (run.signal.aborted) throw new Failure('Interrupted.', exitCodes.interrupted)
    } finally {
      await shop.end()
    }
  }
  return results
}

async function runOne(shop: Sandbox, challenge: Challenge, run: Run): Promise<Result> {
  const { client, terminal, isQuiet, timeoutMs, signal } = run
  const print = (text: string) => void (isQuiet || terminal.write(text))
  print(`${challenge.name}: ${challenge.task}\n${await describeChecks(shop, challenge)}`)
  const result =
    client.length === 0
      ? await watch(shop, challenge, run)
      : await runChallenge(shop, challenge, { words: client, env: terminal.env, timeoutMs, signal, isQuiet })
  const faults = result.faults.map((fault) => `  ${stripControls(fault)}\n`).join('')
  print(`${result.passed ? '✓ passed' : '✗ not passed'}\n${faults}`)
  return result
}

async function describeChecks(shop: Sandbox, challenge: Challenge): Promise<string> {
  const report = await shop.report()
  const titles = report.rules.filter(({ rule }) => checkedRules(challenge).includes(rule)).map(({ title }) => title)
  return `Checked:\n${[...titles, challenge.result].map((check) => `  - ${check}\n`).join('')}`
}

/** Waits for a client that someone runs elsewhere, until it passes, breaks a rule, or its time is over. */
async function watch(shop: Sandbox, challenge: Challenge, { terminal, timeoutMs, signal }: Run): Promise<Result> {
  const stage = await setUp(shop, challenge)
  terminal.printMessage(`Waiting for a client:
  PETSTORE_URL=${shop.url}
  PETSTORE_API_KEY=${stage.apiKey}
`)
  const ended = new AbortController()
  const playing = challenge.play?.(stage, ended.signal)
  const deadline = terminal.now() + timeoutMs
  let result = await judge(stage, challenge)
  while (!result.passed && !result.hasFailed && !signal.aborted && terminal.now() < deadline) {
    await pause(lookEveryMs)
    result = await judge(stage, challenge)
  }
  ended.abort()
  await playing
  return result
}
