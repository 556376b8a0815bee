const placeholder = '§'

/** What a service stored before it rejected control characters. */
export const controls = '\x1b]0;title\x07 \x1b[2J \x7f \x9b2J \x85'

/** A proxy in front of a service that shows control characters where a stored text has a placeholder. */
export function startOlderShop(url: string) {
  const shown = JSON.stringify(controls).slice(1, -1)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const response = await fetch(`${url}${pathname}${search}`, request)
      const headers = new Headers(response.headers)
      for (const name of ['Content-Length', 'Content-Encoding']) headers.delete(name)
      headers.set('Link', (headers.get('Link') ?? '').replaceAll(url, server.url.origin))
      const show = new TransformStream<string, string>({
        transform: (chunk, controller) => controller.enqueue(chunk.replaceAll(placeholder, shown)),
      })
      const body = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(show)
        .pipeThrough(new TextEncoderStream())
      return new Response(body, { status: response.status, headers })
    },
  })
  return { url: server.url.origin, placeholder, stop: () => server.stop(true) }
}
