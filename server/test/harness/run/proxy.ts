// A small load balancer for several nodes on one machine. It sends each request to the next ready node.

const checkEveryMs = 250

export interface LoadBalancer {
  readonly port: number
  /** Nodes that were ready at the last check. */
  ready(): string[]
  stop(): Promise<void>
}

/** Nodes may be added to the list later. */
export function startProxy(nodes: readonly string[], port: number): LoadBalancer {
  let ready = [...nodes]
  let turn = 0

  async function look(): Promise<void> {
    const states = await Promise.all(
      nodes.map((node) =>
        fetch(`${node}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
          (response) => response.ok,
          () => false,
        ),
      ),
    )
    ready = nodes.filter((_, index) => states[index])
  }
  const looking = setInterval(look, checkEveryMs)

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    maxRequestBodySize: 1024 * 1024,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('X-Forwarded-For', server.requestIP(request)?.address ?? '')
      const body = request.body ? await request.arrayBuffer() : null
      // A node that rejected the connection has not seen the request, so the next one may get it.
      for (const _ of nodes) {
        const node = ready[turn++ % Math.max(1, ready.length)]
        if (node === undefined) break
        try {
          const response = await fetch(node + pathname + search, {
            method: request.method,
            headers,
            body,
            redirect: 'manual',
            decompress: false,
          })
          return new Response(response.body, { status: response.status, headers: response.headers })
        } catch (error) {
          if (!isRejected(error)) break
          ready = ready.filter((other) => other !== node)
        }
      }
      return new Response('No node is ready.\n', { status: 502 })
    },
  })

  return {
    port: server.port ?? port,
    ready: () => ready,
    async stop() {
      clearInterval(looking)
      await server.stop(true)
    },
  }
}

const isRejected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ConnectionRefused'
