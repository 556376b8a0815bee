import { SQL } from 'bun'
import { getOrCreate } from '../lib/get-or-create.ts'
import { jitter } from '../lib/random.ts'

const connectTimeoutSeconds = 3
const retryMsMin = 250
const retryMsMax = 5_000

interface Hearer {
  readonly heard: (payload: string) => void
  readonly missed: (() => void) | undefined
}

export interface Listening {
  add(channel: string, heard: (payload: string) => void, missed?: () => void): void
  /** Tells the listeners of this node. */
  tell(channel: string, payload: string): void
  close(): void
}

/**
 * A connection that only listens, opened by the first listener and, when it ends or is refused, again and again. `find` says
 * which server to listen to; `refused` is told once for each time in which it does not work.
 */
export function createListening(
  find: () => Promise<string>,
  applicationName: string,
  refused: (error: unknown) => void,
): Listening {
  const listeners = new Map<string, Hearer[]>()
  let client: SQL | undefined
  let isStarted = false
  let isClosed = false
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()

  const tell = (channel: string, payload: string) => {
    for (const { heard } of listeners.get(channel) ?? []) heard(payload)
  }
  const subscribe = async (to: SQL, channel: string) => {
    await to.listen(channel, (payload) => tell(channel, payload))
    for (const { missed } of listeners.get(channel) ?? []) missed?.()
  }

  async function keepListening(): Promise<void> {
    let failures = 0
    while (!isClosed) {
      const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
      try {
        const server = await find()
        if (isClosed) return
        client = new SQL(server, {
          max: 1,
          connectionTimeout: connectTimeoutSeconds,
          connection: { application_name: applicationName },
          onclose: () => lose(),
        })
        await Promise.all([...listeners.keys()].map((channel) => subscribe(client as SQL, channel)))
        failures = 0
        await Promise.race([lost, closed])
      } catch (error) {
        if (failures++ === 0) refused(error)
      } finally {
        // The client would come back by itself, to the same server, whether it is still the right one or not.
        await client?.close({ timeout: 0 }).catch(() => undefined)
        client = undefined
      }
      const pauseMs = jitter(Math.min(retryMsMax, retryMsMin * 2 ** failures))
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, pauseMs))])
    }
  }

  return {
    add(channel, heard, missed) {
      const others = getOrCreate(listeners, channel, () => [])
      others.push({ heard, missed })
      if (!isStarted) void keepListening()
      isStarted = true
      // What fails here is subscribed to again with all the rest.
      if (client && others.length === 1) subscribe(client, channel).catch(() => void client?.close({ timeout: 0 }))
    },
    tell,
    close() {
      isClosed = true
      close()
    },
  }
}
