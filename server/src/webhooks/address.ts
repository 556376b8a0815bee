import { BlockList, isIP } from 'node:net'

// Which addresses are public. All others are in a private network or cannot receive anything.

/** IPv4 ranges that are not public (IANA's special-purpose registry), and a public address that Azure answers internally. */
const refused4 = [
  // This network
  '0.0.0.0/8',
  // Private
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  // Carrier-grade NAT
  '100.64.0.0/10',
  // Loopback
  '127.0.0.0/8',
  // Link-local, including the metadata services of most clouds
  '169.254.0.0/16',
  // Protocol assignments
  '192.0.0.0/24',
  // Documentation
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // 6to4 relays
  '192.88.99.0/24',
  // Benchmarking
  '198.18.0.0/15',
  // Multicast
  '224.0.0.0/4',
  // Reserved, and broadcast
  '240.0.0.0/4',
  // The host of a virtual machine on Azure
  '168.63.129.16/32',
]

/** The public part of IPv6. IPv4-mapped, NAT64, unique local, link-local and multicast addresses are outside of it. */
const public6 = ['2000::/3']
const refused6 = [
  // Protocol assignments, including Teredo
  '2001::/23',
  // Documentation
  '2001:db8::/32',
  '3fff::/20',
  // 6to4
  '2002::/16',
]

function createBlockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const refusedList4 = createBlockList(refused4, 'ipv4')
const publicList6 = createBlockList(public6, 'ipv6')
const refusedList6 = createBlockList(refused6, 'ipv6')

/** Whether an address is public, judged by its range. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  // A zone means that the address is valid on one machine only.
  if (family === 0 || address.includes('%')) return false
  if (family === 4) return !refusedList4.check(address, 'ipv4')
  return publicList6.check(address, 'ipv6') && !refusedList6.check(address, 'ipv6')
}
