import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns a function that finds the address to meter a request by. `X-Forwarded-For` counts only if a trusted proxy sent it. */
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

/** A home or a host usually has a whole IPv6 /64, so the /64 is metered as one. An IPv4-mapped address counts as IPv4. */
function networkOf(address: string): string {
  // A zone (`%eth0`) is meaningful only on one machine.
  const ip = ipaddr.process(address.replace(/%.*$/, ''))
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  const prefix = ip.parts.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}
