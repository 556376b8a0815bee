import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy to PostgreSQL that counts round trips. */
export interface CountedWay {
  /** The address of the database through this proxy. */
  readonly url: string
  /** Round trips so far, by application. */
  roundTrips(): Record<string, number>
  /** How often one application sent something while another waited for a response. */
  overlaps(): number
  stop(): void
}

/**
 * Responses are held back until every statement on the connection has one, and then delivered together. By then a client has sent all
 * it can send without waiting, so each delivery is one round trip, whatever the speed of the machine. The application `first` gets its
 * responses before the others.
 */
export async function startCountedWay(databaseUrl: string, first?: string): Promise<CountedWay> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const roundTrips = new Map<string, number>()
  const underWay = new Map<string, number>()
  let overlaps = 0
  const withheld = new Set<() => void>()

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    let application = ''
    let isOpen = false
    let open = 0
    let held: Buffer[] = []
    const readSent = messageReader((type) => {
      // Sync, which ends a statement, or a simple query: the response to each ends with ReadyForQuery.
      if (type !== 'S' && type !== 'Q') return
      open++
      count(underWay, application, 1)
      if ([...underWay].some(([other, statements]) => other !== application && statements > 0)) overlaps++
    })
    function handOver(): void {
      withheld.delete(handOver)
      if (open > 0) return
      const waits = first !== undefined && first !== application && (underWay.get(first) ?? 0) > 0
      if (waits) return void withheld.add(handOver)
      count(roundTrips, application, 1)
      client.write(Buffer.concat(held))
      held = []
      if (application === first) for (const others of [...withheld]) others()
    }
    const readResponse = messageReader((type) => {
      if (type !== 'Z') return
      open--
      count(underWay, application, -1)
    })
    client.on('data', (bytes: Buffer) => {
      // The first message of a connection contains the application name; messages have no type until the connection is open.
      application ||= /application_name\0([^\0]*)\0/.exec(bytes.toString('latin1'))?.[1] ?? ''
      if (isOpen) readSent(bytes)
      database.write(bytes)
    })
    database.on('data', (bytes: Buffer) => {
      if (!isOpen) {
        isOpen = isReady(bytes)
        return void client.write(bytes)
      }
      // Not a response: a notification.
      if (open === 0) return void client.write(bytes)
      readResponse(bytes)
      held.push(bytes)
      handOver()
    })
    const drop = () => {
      withheld.delete(handOver)
      client.destroy()
      database.destroy()
    }
    for (const end of [client, database]) {
      sockets.add(end)
      end.on('close', drop).on('error', drop)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    overlaps: () => overlaps,
    roundTrips: () => Object.fromEntries(roundTrips),
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const count = (counts: Map<string, number>, name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by)

/** The server is ready for the first statement: ReadyForQuery, five bytes and a state. */
const isReady = (bytes: Buffer): boolean => bytes.toString('latin1', bytes.length - 6).startsWith('Z\0\0\0\x05')

/** Finds the type of every message, however the stream is split into chunks. */
function messageReader(seen: (type: string) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    // A type, and a length that includes itself.
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      seen(String.fromCharCode(rest[0] ?? 0))
      rest = rest.subarray(1 + rest.readInt32BE(1))
    }
  }
}
