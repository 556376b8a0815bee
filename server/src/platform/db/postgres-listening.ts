import { SQL } from 'bun'
import { jitter } from '../lib/random.ts'

const connectTimeoutSeconds = 3
const retryMsMin = 250
const retryMsMax = 5_000

interface Listener {
  readonly onNotice: (payload: string) => void
  readonly onGap: (() => void) | undefined
}

export interface Listening {
  add(channel: string, onNotice: (payload: string) => void, onGap?: () => void): void
  /** Notifies the listeners of this node. */
  notify(channel: string, payload: string): void
  close(): void
}

/**
 * A connection that only listens, opened for the first listener and reopened whenever it ends or is rejected. `find` returns the server
 * to listen to; `onFailure` is called once per outage.
 */
export function createListening(
  find: () => Promise<string>,
  applicationName: string,
  onFailure: (error: unknown) => void,
): Listening {
  const listeners = new Map<string, Listener[]>()
  let client: SQL | undefined
  let isStarted = false
  let isClosed = false
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()

  const notify = (channel: string, payload: string) => {
    for (const { onNotice } of listeners.get(channel) ?? []) onNotice(payload)
  }
  const subscribe = async (to: SQL, channel: string) => {
    await to.listen(channel, (payload) => notify(channel, payload))
    for (const { onGap } of listeners.get(channel) ?? []) onGap?.()
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
        if (failures++ === 0) onFailure(error)
      } finally {
        // The client would reconnect automatically to the same server, even if that is no longer the right one.
        await client?.close({ timeout: 0 }).catch(() => undefined)
        client = undefined
      }
      const pauseMs = jitter(Math.min(retryMsMax, retryMsMin * 2 ** failures))
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, pauseMs))])
    }
  }

  return {
    add(channel, onNotice, onGap) {
      const all = listeners.getOrInsertComputed(channel, () => [])
      all.push({ onNotice, onGap })
      if (!isStarted) void keepListening()
      isStarted = true
      // If this fails, the connection is reopened and all channels are subscribed again.
      if (client && all.length === 1) subscribe(client, channel).catch(() => void client?.close({ timeout: 0 }))
    },
    notify,
    close() {
      isClosed = true
      close()
    },
  }
}
