import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ephemeral ports, so that the system gives it to no other program in the meantime.
const firstPort = 16_384
const lastPort = 32_767

/** A port that is free right now, for programs that must be given one. */
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
