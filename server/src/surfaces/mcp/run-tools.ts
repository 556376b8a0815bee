import type { Outcome } from '../../platform/api/idempotency.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { PeerAddresses } from '../http/exchange.ts'
import type { Pipeline } from '../http/pipeline.ts'
import type { Tool } from './define-tools.ts'
import type { createExplainer } from './explain-error.ts'
import { createSplitter } from './split-arguments.ts'
import { ToolExchange } from './tool-exchange.ts'
import { createToolAnswers, type ToolAnswer } from './tool-result.ts'

/** A tool that can be called. */
export interface RunnableTool extends Tool {
  open(request: Request, peers: PeerAddresses, given: Readonly<Record<string, unknown>>): ToolExchange
  run(exchange: ToolExchange): Awaitable<ToolAnswer>
  /** What the call would have changed, as it is now; undefined if that cannot be read. */
  readCurrent(exchange: ToolExchange): Promise<unknown>
}

/** Makes a tool callable, through the stages that its HTTP request goes through. */
export function createRunnable(
  tool: Tool,
  pipeline: Pick<Pipeline, 'runStages' | 'stagesOf'>,
  explain: ReturnType<typeof createExplainer>,
): RunnableTool {
  const stages = pipeline.stagesOf(tool.route)
  const split = createSplitter(tool.route.operation)
  const answers = createToolAnswers(tool, explain)
  const run = pipeline.runStages<ToolExchange, Outcome, ToolAnswer>({ ...stages, answers })
  const reader = tool.reader && readerFor(tool.reader, tool, pipeline, explain)
  return {
    ...tool,
    run,
    open: (request, peers, given) => new ToolExchange(request, peers, stages.context, split(given)),
    readCurrent: async (exchange) => reader?.(exchange),
  }
}

/** Reads a resource within the call that failed to change it, as part of the same request. */
function readerFor(
  route: NonNullable<Tool['reader']>,
  tool: Tool,
  pipeline: Pick<Pipeline, 'stagesOf'>,
  explain: ReturnType<typeof createExplainer>,
) {
  const { work } = pipeline.stagesOf(route)
  const answers = createToolAnswers({ ...tool, route }, explain)
  return async (exchange: ToolExchange): Promise<unknown> => {
    try {
      return answers.outcome(exchange, await work(exchange)).result
    } catch {
      // The refusal itself is the answer; the state is only offered with it.
      return undefined
    }
  }
}
