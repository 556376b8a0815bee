/** Passes a stream of server-sent events on until it has sent an event, then breaks the connection. */
export function cutStream(response: Response): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  const text = new TextDecoder()
  let hasSentEvent = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = hasSentEvent ? { done: true, value: undefined } : await reader.read()
      if (done) {
        await reader.cancel()
        return controller.error(new Error('cut by a fault'))
      }
      hasSentEvent = /^data:/m.test(text.decode(value))
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

export const isEventStream = ({ headers }: Response): boolean => headers.get('content-type') === 'text/event-stream'
