import { setImmediate } from 'node:timers/promises'
import type { Exchange } from '../surfaces/http/request.ts'

/** Where a fault closes the connection: before a byte of the response is sent, or in the middle of its body. */
export type Cut = 'before' | 'body'

export const isEventStream = ({ headers }: Response): boolean => headers.get('content-type') === 'text/event-stream'

/** Where a response can be cut: a stream of events only between events, and a response without a body only before it. */
export function cutFor({ responseText }: Exchange, response: Response, wanted: Cut): Cut {
  if (isEventStream(response)) return 'body'
  return responseText === undefined ? 'before' : wanted
}

/** The response to send instead, whose connection closes. */
export function cutResponse(exchange: Exchange, response: Response, cut: Cut): Response {
  if (isEventStream(response)) return cutStream(response)
  if (cut === 'before') return closeBeforeBody()
  const text = exchange.responseText ?? ''
  exchange.responseText = text.slice(0, Math.ceil(text.length / 2))
  const { status, headers } = response
  return new Response(closeAfter(exchange.responseText), { status, headers })
}

/** Closes the connection without sending a byte: the listener does that when a body fails before its first part. */
const closeBeforeBody = (): Response => new Response(new ReadableStream({ pull: (controller) => controller.error() }))

/** Sends the text, then closes the connection. */
function closeAfter(text: string): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    async pull(controller) {
      if (isSent) return closeWhenSent(controller)
      isSent = true
      controller.enqueue(new TextEncoder().encode(text))
    },
  })
}

/** The listener sends what it has at the end of each turn of the event loop. */
async function closeWhenSent(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  await setImmediate()
  controller.error()
}

/** Passes a stream of server-sent events on until it has sent an event, then breaks the connection. */
function cutStream(response: Response): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  const text = new TextDecoder()
  let hasSentEvent = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = hasSentEvent ? { done: true, value: undefined } : await reader.read()
      if (done) {
        await reader.cancel()
        return closeWhenSent(controller)
      }
      hasSentEvent = /^data:/m.test(text.decode(value))
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
