import { type Exchange, inOrder } from '@petstore/judge/history'
import { judge } from '@petstore/judge/judge'
import type { Report } from '@petstore/judge/report'
import { runClient } from '../run-client.ts'
import type { NameRequest } from './name-requests.ts'
import { createPlan, type PlanOptions } from './plan.ts'
import type { ApiProfile } from './profile-file.ts'
import { startProxy } from './proxy.ts'
import { createRecorder, nowMs, type Recorder } from './record.ts'
import { mustListen } from './upstream.ts'

/** A client that has ended sends nothing again, however long it was asked to wait. */
const laterMs = 120_000

interface Exam {
  readonly upstream: URL
  readonly profile: ApiProfile
  readonly nameRequest: NameRequest
  readonly plan: PlanOptions
  readonly keepsBodies: boolean
  /** The client and its arguments. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Whether the client's output goes to standard error. */
  readonly isQuiet?: boolean | undefined
}

interface Outcome {
  readonly recorder: Recorder
  readonly report: Report
  /** Why the client failed, if it did. */
  readonly failure: string | undefined
  /** Why the upstream did not respond, and how often. */
  readonly upstreamFailures: ReadonlyMap<string, number>
}

/** Runs a client between which and its API there is the proxy, and judges it. */
export async function examine(exam: Exam): Promise<Outcome> {
  const { upstream, profile, nameRequest, plan, keepsBodies, words, env, signal, isQuiet } = exam
  await mustListen(upstream)
  const recorder = createRecorder({ profile, nameRequest, keepsBodies })
  const proxy = await startProxy({ upstream, profile, plan: createPlan(profile, plan), recorder })
  try {
    const variables = variablesFor(proxy.url, profile)
    const failure = await runClient({ words, env: { ...env, ...variables }, signal, isQuiet })
    return {
      recorder,
      report: report(recorder.exchanges(), profile, recorder.count()),
      failure,
      upstreamFailures: proxy.failures(),
    }
  } finally {
    await proxy.stop()
  }
}

/** The address of the proxy, as the clients of this API read it. */
function variablesFor(url: string, { variables }: ApiProfile): Record<string, string> {
  const fill = (text: string) => text.replaceAll('{url}', url).replaceAll('{host}', new URL(url).host)
  return {
    JUDGE_URL: url,
    ...Object.fromEntries(Object.entries(variables).map((pair) => pair.map(fill))),
  }
}

/** Judges what was recorded until now, or `count` requests of which these are known. */
export function report(exchanges: readonly Exchange[], { rules }: ApiProfile, count = exchanges.length): Report {
  // What is still open when the client has ended, it did not wait for.
  const ended = exchanges.map((exchange): Exchange => {
    if (exchange.received !== 'open') return exchange
    return { ...exchange, received: 'abandoned', durationMs: nowMs() - exchange.arrivedMs }
  })
  const isComplete = count === exchanges.length
  const lastMs = Math.max(0, ...ended.map(({ arrivedMs, durationMs }) => arrivedMs + (durationMs ?? 0)))
  // Of what the client did after requests that are not known, nothing is known.
  const endMs = lastMs + (isComplete ? laterMs : 0)
  const history = { exchanges: inOrder(ended), deliveries: [], isComplete, nowMs: endMs, apiNowMs: endMs }
  const { undecided: _, ...judgement } = judge(history, rules)
  return { ...judgement, requests: { seen: count, shown: exchanges.length, open: 0, undecided: 0 } }
}
