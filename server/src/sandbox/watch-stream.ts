/** Passes a stream of server-sent events on, and tells its end and the last id that was sent. */
export function watchStream(response: Response, onEnd: (lastEventId: string | undefined) => void): Response {
  if (!response.body) {
    onEnd(undefined)
    return response
  }
  const reader = response.body.getReader()
  const text = new TextDecoder()
  let lastEventId: string | undefined
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          onEnd(lastEventId)
          return controller.close()
        }
        for (const [, id] of text.decode(value).matchAll(/^id: (.*)$/gm)) lastEventId = id
        controller.enqueue(value)
      } catch (error) {
        onEnd(lastEventId)
        controller.error(error)
      }
    },
    cancel(reason) {
      onEnd(lastEventId)
      return reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
