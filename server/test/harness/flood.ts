import { patiently } from './patiently.ts'
import type { ApiResponse, Client, Service } from './service.ts'

/** Sends `count` requests over this many connections; each sends its next request after the response. A busy service may reject one at first. */
export async function flood(client: Client, count: number, connections = 64, path = '/pets?limit=1') {
  const responses: ApiResponse[] = []
  let sent = 0
  const connection = async () => {
    while (sent < count) {
      sent++
      responses.push(await patiently(() => client.get(path)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, connections) }, connection))
  return responses
}

/** Counts the responses by status, or by error code. */
export function tally(responses: readonly ApiResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of responses) {
    const outcome = status >= 400 ? body.code : String(status)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** The responses by the minute that they were counted in. A banned caller is counted in none. */
export const byMinute = <A extends Pick<ApiResponse, 'headers' | 'body'>>(responses: readonly A[]): A[][] =>
  Map.groupBy(
    responses.filter(({ body }) => body.code !== 'key_banned'),
    ({ headers }) => headers.get('x-ratelimit-reset'),
  )
    .values()
    .toArray()

/** The values of the three X-RateLimit headers. */
export const windowIn = ({ headers }: ApiResponse) => ({
  limit: Number(headers.get('x-ratelimit-limit')),
  remaining: Number(headers.get('x-ratelimit-remaining')),
  reset: Number(headers.get('x-ratelimit-reset')),
})

export const retryAfter = ({ headers }: ApiResponse): number => Number(headers.get('retry-after'))

/** Longer than what was on its way when the first rejection was sent may take: from then on a rejected request is a strike. */
export const burstMs = 2_000

/** Uses up the key's minute and keeps calling after the rejection, until the key is banned. Returns the first response that says so. */
export async function getBanned({ clock }: Pick<Service, 'clock'>, client: Client): Promise<ApiResponse> {
  let window = 0
  for (;;) {
    const response = await client.get('/pets?limit=1')
    if (response.body.code === 'key_banned') return response
    if (response.status === 429 && windowIn(response).reset !== window) {
      window = windowIn(response).reset
      clock.advance(burstMs)
    }
  }
}
