import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy to PostgreSQL that can block the connections of one application. */
export interface Cable {
  /** The address of the database through this proxy. */
  readonly url: string
  /** Holds back all bytes of these connections, in both directions, until `release`. */
  hold(application: string): void
  release(): void
  /** Closes these connections, and new ones too, until `mend`. */
  cut(application: string): void
  mend(): void
  stop(): void
}

interface Strand {
  readonly ends: readonly [Socket, Socket]
  application: string
}

/** At most `connectionsMax` connections are open at a time. */
export async function startCable(databaseUrl: string, connectionsMax = Number.POSITIVE_INFINITY): Promise<Cable> {
  const target = new URL(databaseUrl)
  const strands = new Set<Strand>()
  let held: string | undefined
  let missing: string | undefined

  const server = createServer((client) => {
    if (strands.size >= connectionsMax) return void client.destroy()
    const database = connect(Number(target.port), target.hostname)
    const strand: Strand = { ends: [client, database], application: '' }
    strands.add(strand)
    const drop = () => {
      strands.delete(strand)
      client.destroy()
      database.destroy()
    }
    client.on('data', (bytes) => {
      // The first message of a connection contains the application name.
      strand.application ||= /application_name\0([^\0]*)\0/.exec(bytes.toString('latin1'))?.[1] ?? ''
      if (strand.application !== '' && strand.application === missing) return drop()
      database.write(bytes)
      if (strand.application !== '' && strand.application === held) pause(strand)
    })
    database.on('data', (bytes) => void client.write(bytes))
    for (const end of strand.ends) end.on('close', drop).on('error', drop)
  })
  const pause = ({ ends }: Strand) => {
    for (const end of ends) end.pause()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  const of = (application: string) => [...strands].filter((strand) => strand.application === application)

  return {
    url: url.href,
    hold(application) {
      held = application
      for (const strand of of(application)) pause(strand)
    },
    release() {
      held = undefined
      for (const { ends } of strands) for (const end of ends) end.resume()
    },
    cut(application) {
      missing = application
      for (const { ends } of of(application)) ends[0].destroy()
    },
    mend() {
      missing = undefined
    },
    stop() {
      for (const { ends } of strands) ends[0].destroy()
      server.close()
    },
  }
}
