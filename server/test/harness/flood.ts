import { patiently } from './patiently.ts'
import type { Answer, Client, Service } from './service.ts'

/** Sends `count` requests over this many connections; each sends its next request after the response. A busy service may refuse one at first. */
export async function flood(client: Client, count: number, connections = 64, path = '/pets?limit=1') {
  const answers: Answer[] = []
  let sent = 0
  const connection = async () => {
    while (sent < count) {
      sent++
      answers.push(await patiently(() => client.get(path)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, connections) }, connection))
  return answers
}

/** Counts the responses by status, or by error code. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const outcome = status >= 400 ? body.code : String(status)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** The responses by the minute that they were counted in. A banned caller is counted in none. */
export const byMinute = <A extends Pick<Answer, 'headers' | 'body'>>(answers: readonly A[]): A[][] =>
  Map.groupBy(
    answers.filter(({ body }) => body.code !== 'key_banned'),
    ({ headers }) => headers.get('x-ratelimit-reset'),
  )
    .values()
    .toArray()

/** The values of the three X-RateLimit headers. */
export const windowIn = ({ headers }: Answer) => ({
  limit: Number(headers.get('x-ratelimit-limit')),
  remaining: Number(headers.get('x-ratelimit-remaining')),
  reset: Number(headers.get('x-ratelimit-reset')),
})

export const retryAfter = ({ headers }: Answer): number => Number(headers.get('retry-after'))

/** Longer than what was on its way when the first refusal was sent may take: from then on a refused request is a strike. */
export const burstMs = 2_000

/** Uses up the key's minute and keeps calling after the refusal, until the key is banned. Returns the first answer that says so. */
export async function getBanned({ clock }: Pick<Service, 'clock'>, client: Client): Promise<Answer> {
  let window = 0
  for (;;) {
    const answer = await client.get('/pets?limit=1')
    if (answer.body.code === 'key_banned') return answer
    if (answer.status === 429 && windowIn(answer).reset !== window) {
      window = windowIn(answer).reset
      clock.advance(burstMs)
    }
  }
}
