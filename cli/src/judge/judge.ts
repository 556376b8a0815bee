import { randomInt } from 'node:crypto'
import { type Command, Option } from 'commander'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, withAdvice } from '../failure.ts'
import { addReportOptions, type ReportOptions, showReport } from '../sandbox/report.ts'
import { parseList } from '../shop/options.ts'
import { stopSignal, type Terminal } from '../terminal.ts'
import { addDraft } from './draft-command.ts'
import { readKnowledge } from './knowledge.ts'
import { addPlan } from './plan-command.ts'
import { parseUpstream } from './upstream.ts'

interface Options extends ReportOptions {
  readonly upstream?: string
  readonly profile?: string
  readonly openapi?: string
  readonly har?: string
  readonly seed?: string
  readonly only?: string[]
  readonly bodies?: boolean
  readonly allowEffects?: boolean
}

export function addJudge(program: Command, terminal: Terminal): void {
  const command = program
    .command('judge')
    .description(
      'Run a client of any HTTP API, such as its tests, through a proxy that disturbs some of its requests, and judge what it does. The client gets the address as JUDGE_URL. Exits with 1 if the client fails, sends nothing, or breaks a must rule. Without --upstream, judge a recording. Experimental.',
    )
    .argument('[client...]', 'the command that runs the client, after --')
    .option('--upstream <url>', 'the API')
    .option('--profile <name>', 'what is known about the API: a YAML file, or a preset')
    .option('--openapi <file>', 'an OpenAPI document that names the operations')
    .option('--har <file>', 'write the recording as an HTTP archive; without --upstream, read it')
    .option('--bodies', 'record bodies too, not only their hashes')
    .option('--seed <text>', 'the same faults each time')
    .option('--only <faults>', 'only these faults, such as lost,limited', parseList)
    .addOption(
      new Option(
        '--allow-effects',
        'allow an upstream that is not on this machine: a lost response may make a real duplicate',
      ),
    )
  addReportOptions(command).action(async (words: readonly string[], options: Options) => {
    if (options.upstream === undefined) return judgeRecording(words, options)
    const upstream = parseUpstream(options.upstream, options.allowEffects ?? false)
    if (words.length === 0) return command.error('error: the command of the client is missing, after --')
    await judgeClient(upstream, words, options)
  })
  withExamples(
    command,
    ['petstore judge --upstream http://127.0.0.1:3000 -- npm test', 'an API of which nothing else is known'],
    ['petstore judge --upstream http://127.0.0.1:8000 --profile dynamodb -- npm test', 'a preset'],
    ['petstore judge --har recorded.har --profile api.yaml', 'what was recorded elsewhere'],
  )
  addPlan(command, terminal)
  addDraft(command, terminal)

  async function judgeClient(upstream: URL, words: readonly string[], options: Options): Promise<void> {
    const { profile, nameRequest } = await readNames(options, upstream)
    const { examine } = await import('./exam.ts')
    const { checkFaults } = await import('./plan.ts')
    const seed = options.seed ?? String(randomInt(2 ** 31))
    const plan = { seed, only: checkFaults(options.only) }
    const signal = stopSignal(terminal)
    const keepsBodies = options.bodies ?? false
    const { json: isQuiet } = command.optsWithGlobals<{ json?: boolean }>()
    const exam = { upstream, profile, nameRequest, plan, keepsBodies, words, env: terminal.env, signal, isQuiet }
    const { recorder, report, failure, upstreamFailures } = await examine(exam)
    if (signal.aborted) throw new Failure('Interrupted.', exitCodes.interrupted)
    const faults = Map.groupBy(recorder.exchanges(), ({ fault }) => fault ?? '')
    faults.delete('')
    const injected = [...faults].map(([fault, all]) => `${fault} ${all.length}`).join(', ') || 'none'
    terminal.printMessage(`Faults: ${injected} (seed ${seed}).\n`)
    for (const [reason, count] of upstreamFailures)
      terminal.printMessage(`The upstream did not respond to ${count} of the requests: ${reason}.\n`)
    const reason = failure ?? (report.requests.seen === 0 ? 'The client sent nothing to JUDGE_URL.' : undefined)
    try {
      await showReport(async () => report, { ...options, command, terminal })
      if (options.har !== undefined) {
        const { writeHar } = await import('./har-file.ts')
        writeHar(options.har, recorder, upstream.origin, program.version() ?? '')
      }
    } catch (error) {
      // What went wrong afterwards does not hide that the client failed.
      throw reason === undefined ? error : withAdvice(error, reason)
    }
    if (reason !== undefined) throw new Failure(reason, exitCodes.failed)
  }

  async function judgeRecording(words: readonly string[], options: Options): Promise<void> {
    if (options.har === undefined || words.length > 0)
      return command.error('error: --upstream is missing, or --har with a recording and no client')
    const { profile, nameRequest } = await readNames(options)
    const [{ readHar }, { report }] = await Promise.all([import('./har-file.ts'), import('./exam.ts')])
    const result = report(readHar(options.har, profile, nameRequest), profile)
    await showReport(async () => result, { ...options, command, terminal })
  }
}

/** The profile, and the names of the operations. */
async function readNames(options: Options, upstream?: URL) {
  const { profile, description } = await readKnowledge(options, upstream)
  const { createNaming } = await import('./name-requests.ts')
  return { profile, nameRequest: createNaming(profile.operations, description) }
}
