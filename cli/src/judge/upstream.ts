import { BlockList, connect, isIP } from 'node:net'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isOnThisMachine(url: URL): boolean {
  const host = hostOf(url)
  const version = isIP(host)
  return version === 0 ? /(^|\.)localhost$/.test(host) : loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

export function parseUpstream(text: string, allowsEffects: boolean): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new Failure(`${text} is not an HTTP address.`, exitCodes.misused)
  if (url.username || url.password)
    throw new Failure(
      'The address of the upstream has a name or password: the client must send them.',
      exitCodes.misused,
    )
  if (!allowsEffects && !isOnThisMachine(url))
    throw new Failure(
      `${url.host} is not on this machine. After a lost response, a client may make a change twice, and there it would be real. Use a test account and --allow-effects if that does no harm.`,
      exitCodes.misused,
    )
  return url
}

const connectMsMax = 5_000

/** Fails before the client runs, if nothing listens. */
export async function mustListen(url: URL): Promise<void> {
  const host = hostOf(url)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const socket = connect({ host, port, timeout: connectMsMax })
  const reason = await new Promise<string | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined))
    socket.once('timeout', () => resolve('no response'))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  socket.destroy()
  if (reason !== undefined) throw new Failure(`Nothing listens at ${host}:${port}: ${reason}.`, exitCodes.unavailable)
}
