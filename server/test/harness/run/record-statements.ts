import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A statement that was sent, with the statement that set its session's settings. */
export interface Recorded {
  readonly settings: string
  readonly sql: string
}

export interface Recorder {
  /** The address of the recording proxy. */
  readonly url: string
  /** Each statement once. */
  recorded(): Recorded[]
  stop(): void
}

/** The service's application name in PostgreSQL. */
const isOfTheService = (startup: string) => /application_name\0petstore/.test(startup)

/** A proxy to PostgreSQL that records the statements that the service prepares. Other clients pass through. */
export async function recordStatements(databaseUrl: string): Promise<Recorder> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const recorded = new Map<string, Recorded>()

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    let read: ((bytes: Buffer) => void) | undefined
    let settings: string | undefined
    const prepared = (sql: string) => {
      // The first statement of a session sets its settings.
      settings ??= sql
      recorded.set(`${settings}\0${sql}`, { settings, sql })
    }
    client.on('data', (bytes: Buffer) => {
      // The first message has no type; it names the application.
      if (read) read(bytes)
      else read = isOfTheService(bytes.toString('latin1')) ? createReader(prepared) : () => undefined
      database.write(bytes)
    })
    database.on('data', (bytes: Buffer) => void client.write(bytes))
    for (const [end, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(end)
      const drop = () => {
        sockets.delete(end)
        other.destroy()
      }
      end.setNoDelay(true).on('close', drop).on('error', drop)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    recorded: () => [...recorded.values()],
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Reads a client's messages, however they are split, and reports the text of each Parse. */
function createReader(prepared: (sql: string) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    // A type, and a length that includes itself.
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1)
      if (rest[0] === 0x50) prepared(textOfParse(rest.subarray(5, end)))
      rest = rest.subarray(end)
    }
  }
}

/** A name, the statement, and the types of its parameters. */
function textOfParse(body: Buffer): string {
  const start = body.indexOf(0) + 1
  return body.toString('utf8', start, body.indexOf(0, start))
}
