import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ApiError } from '../../platform/api/errors.ts'
import type { Outcome } from '../../platform/api/idempotency.ts'
import type { AnyReply } from '../../platform/api/operation.ts'
import { tagOf } from '../http/response.ts'
import type { Responses } from '../pipeline.ts'
import type { Tool } from './define-tools.ts'
import type { createExplainer, ExplainedError } from './explain-error.ts'
import type { ToolCall } from './split-arguments.ts'

/** What a tool call led to. */
export interface ToolResponse {
  /** The status that the same call gets over HTTP. */
  readonly status: number
  readonly result: Record<string, unknown> | undefined
  readonly error: ExplainedError | undefined
  /** Headers of a rejection. */
  readonly headers: Readonly<Record<string, string>>
}

/** Turns outcomes of an operation into results of its tool. */
export function createToolResponses(
  { route: { operation }, done }: Tool,
  explain: ReturnType<typeof createExplainer>,
): Responses<ToolCall, Outcome, ToolResponse> {
  const isList = operation.body instanceof z.ZodArray

  const rejection = ({ requestId }: ToolCall, error: ApiError): ToolResponse => ({
    status: error.status,
    result: undefined,
    error: explain(error, requestId, isList),
    headers: error.more.headers ?? {},
  })

  function resultOf({ body, nextCursor, monitorAfter }: AnyReply): Record<string, unknown> {
    if (body === undefined) return { done }
    if (Array.isArray(body)) {
      return {
        items: body,
        ...(nextCursor !== undefined && { nextCursor }),
        ...(monitorAfter !== undefined && { monitorAfter }),
      }
    }
    const etag = operation.etag && tagOf(operation, body, JSON.stringify(body))
    return { ...(body as object), ...(etag && { etag }) }
  }

  return {
    rejection,
    outcome: (call, outcome) =>
      'error' in outcome
        ? rejection(call, outcome.error)
        : { status: outcome.status, result: resultOf(outcome), error: undefined, headers: {} },
  }
}

/**
 * A tool's response as the protocol sends it: structured, and as text for clients that read only that. An error is text alone, because
 * clients check structured content against the schema of the result.
 */
export function toCallResult({ result, error }: ToolResponse, current: unknown): CallToolResult {
  if (error) return { content: [textOf({ ...error, ...(current !== undefined && { current }) })], isError: true }
  return { content: [textOf(result)], structuredContent: result as Record<string, unknown> }
}

const textOf = (value: unknown) => ({ type: 'text' as const, text: JSON.stringify(value) })
