import { BlockList, isIP } from 'node:net'

/** Tells the address a request is metered by. Forwarded addresses are believed only from trusted proxies. */
export function createAddressReader(trustedProxies: readonly string[]) {
  const trusted = new BlockList()
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return function addressOf(peer: string, forwardedFor: string | null): string {
    let address = unmapped(peer)
    // From the right: each trusted proxy appended whom it saw; the first that is not trusted is the client.
    const hops = trustedProxies.length > 0 && forwardedFor ? forwardedFor.split(',') : []
    while (isIP(address) && isTrusted(address) && hops.length > 0) {
      const hop = unmapped(hops.pop()?.trim() ?? '')
      if (!isIP(hop)) break
      address = hop
    }
    return isIP(address) === 6 ? network64(address) : address
  }
}

/** `::ffff:1.2.3.4`, as a dual-stack socket reports it, is 1.2.3.4. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** A home or a host usually has a whole /64, so that is what is counted. */
function network64(address: string): string {
  // The last four bytes may be written as IPv4; they are two groups like any other, and beyond what counts here.
  const plain = address.replace(/%.*$/, '').replace(/\d+\.\d+\.\d+\.\d+$/, '0:0')
  const [head = '', tail = ''] = plain.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = address.includes('::') ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right] : left
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group || '0', 16).toString(16))
  return `${first.join(':')}::/64`
}
