import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

// Which addresses are public. All others are in a private network or cannot receive anything.

/** IPv4 ranges that are not public (IANA's special-purpose registry), and a public address that Azure handles internally. */
const rejected4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, including the metadata services of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '168.63.129.16/32', // the host of a virtual machine on Azure
]

/** The public part of IPv6. IPv4-mapped, NAT64, unique local, link-local and multicast addresses are outside of it. */
const public6 = ['2000::/3']
const rejected6 = [
  '2001::/23', // protocol assignments, including Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]

function createBlockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const rejectedList4 = createBlockList(rejected4, 'ipv4')
const publicList6 = createBlockList(public6, 'ipv6')
const rejectedList6 = createBlockList(rejected6, 'ipv6')

/** Whether an address is public, judged by its range. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  // A zone means that the address is valid on one machine only.
  if (family === 0 || address.includes('%')) return false
  if (family === 4) return !rejectedList4.check(address, 'ipv4')
  return publicList6.check(address, 'ipv6') && !rejectedList6.check(address, 'ipv6') && !isIsatap(address)
}

/** A tunnel to the IPv4 address at the end (RFC 5214), under any prefix. Before that comes 0000:5efe, where two bits are flags. */
function isIsatap(address: string): boolean {
  const { parts } = ipaddr.IPv6.parse(address)
  return ((parts[4] ?? 0) & ~0x0300) === 0 && parts[5] === 0x5efe
}
