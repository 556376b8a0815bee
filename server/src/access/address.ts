import { BlockList, isIP } from 'node:net'

/** Returns the address that meters a request. `X-Forwarded-For` counts only when it comes from a trusted proxy. */
export function createAddressReader(trustedProxies: readonly string[]) {
  const trusted = new BlockList()
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return function addressOf(peer: string, forwardedFor: string | undefined): string {
    let address = peer
    // From the right: each proxy appends the address it saw, so the first untrusted one is the client.
    const hops = trustedProxies.length > 0 && forwardedFor ? forwardedFor.split(',') : []
    while (isIP(address) && isTrusted(address)) {
      const hop = addressIn(hops.pop()?.trim() ?? '')
      // If a proxy reports no address (`unknown`, a hidden name, nothing), meter the proxy.
      if (hop === undefined) break
      address = hop
    }
    return isIP(address) === 6 ? networkOf(address) : address
  }
}

/** The address in one item of X-Forwarded-For: bare, in brackets, or followed by a port. */
function addressIn(item: string): string | undefined {
  const [, bracketed, beforePort] = /^\[(.*)\](?::\d+)?$|^([^:]+):\d+$/.exec(item) ?? []
  const address = bracketed ?? beforePort ?? item
  return isIP(address) ? address : undefined
}

/** Meters IPv6 by /64, which is what one customer usually gets. An IPv4-mapped address counts as IPv4. */
function networkOf(address: string): string {
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

const bytesOf = (group: number) => [group >> 8, group & 0xff]

/** The eight groups of an IPv6 address; the last two may be written as IPv4. */
function groupsOf(address: string): number[] {
  const numbers = (part: string | undefined) => (part ? part.split(':').flatMap(groupsIn) : [])
  const [head, tail] = address.replace(/%.*$/, '').split('::')
  const [left, right] = [numbers(head), numbers(tail)]
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function groupsIn(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}
