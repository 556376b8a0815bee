import type { Outcome } from '../../platform/api/idempotency.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { Exchange } from '../http/request.ts'
import type { Pipeline } from '../pipeline.ts'
import type { Tool } from './define-tools.ts'
import type { createExplainer } from './explain-error.ts'
import { createSplitter, ToolCall } from './split-arguments.ts'
import { createToolResponses, type ToolResponse } from './tool-result.ts'

/** A tool that can be called. */
export interface RunnableTool extends Tool {
  open(message: Exchange, given: Readonly<Record<string, unknown>>): ToolCall
  run(call: ToolCall): Awaitable<ToolResponse>
  /** The current state of what the call would have changed; undefined if that cannot be read. */
  readCurrent(call: ToolCall): Promise<unknown>
}

/** Makes a tool callable, through the stages that its HTTP request goes through. */
export function createRunnable(
  tool: Tool,
  pipeline: Pick<Pipeline, 'connect' | 'stagesOf'>,
  explain: ReturnType<typeof createExplainer>,
): RunnableTool {
  const stages = pipeline.stagesOf(tool.route)
  const split = createSplitter(tool.route.operation)
  const responses = createToolResponses(tool, explain)
  const run = pipeline.connect<ToolCall, Outcome, ToolResponse>({ ...stages, responses })
  const reader = tool.reader && readerFor(tool.reader, tool, pipeline, explain)
  return {
    ...tool,
    run,
    open: (message, given) => new ToolCall(message, split(given), stages.context),
    readCurrent: async (call) => reader?.(call),
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
  const responses = createToolResponses({ ...tool, route }, explain)
  return async (call: ToolCall): Promise<unknown> => {
    try {
      return responses.outcome(call, await work(call)).result
    } catch {
      // The rejection itself is the response; the state is only offered with it.
      return undefined
    }
  }
}
