import { eventually } from '../../harness/eventually.ts'
import { type Client, type Options, type Service, startService } from '../../harness/service.ts'

/** A shop whose webhooks may reach loopback. */
export const startShop = (options: Options = {}): Promise<Service> =>
  startService({ ...options, env: { WEBHOOK_ALLOW_PRIVATE: 'true', ...options.env } })

/** A webhook as POST returns it. */
export interface Made {
  readonly id: number
  readonly secret: string
  readonly path: string
}

export async function newWebhook(client: Client, url: string, more: object = {}): Promise<Made> {
  const { status, body } = await client.post('/webhooks', { url, events: ['*'], ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: body.id, secret: body.secret, path: `/webhooks/${body.id}` }
}

/** The deliveries of a webhook, once they meet the condition. */
export const deliveriesOnce = (
  client: Client,
  { path }: Pick<Made, 'path'>,
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  are: (deliveries: any[]) => boolean,
) =>
  eventually(async () => {
    const { body } = await client.get(`${path}/deliveries?limit=100`)
    return are(body) && body
  })

/** Waits until every reader of the log sees a new category: on PostgreSQL any older transaction may delay it. */
export const categorySeen = (client: Client, id: number) =>
  eventually(async () => {
    const { body } = await client.get('/events?type=category.created&limit=100')
    return body.some(({ data }: { data: { id: number } }) => data.id === id)
  })
