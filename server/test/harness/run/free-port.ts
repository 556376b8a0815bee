import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// For programs that must be given a port, because they cannot say which one the system chose for them.

// Below the ephemeral ports, so that the system gives it to no other program in the meantime.
const firstPort = 16_384
const lastPort = 32_767
const triesMax = 5

/** Starts something on a free port. Another program may take the port first, so after a failure it is started on another one. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (tries === triesMax) throw error
    }
  }
}

/** A port that is free right now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort + 1)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
