import { BlockList, isIP } from 'node:net'

// Which addresses belong to the internet. Everything else is somebody's own network, or no place to send anything to.

/** IPv4 that is not of the internet (IANA's special-purpose registry), and a public one that a cloud answers inside. */
const refused4 = {
  'this network': '0.0.0.0/8',
  private: '10.0.0.0/8',
  'carrier-grade NAT': '100.64.0.0/10',
  loopback: '127.0.0.0/8',
  'link-local, and metadata of most clouds': '169.254.0.0/16',
  'private, too': '172.16.0.0/12',
  'protocol assignments': '192.0.0.0/24',
  documentation: '192.0.2.0/24',
  '6to4 relays': '192.88.99.0/24',
  'private as well': '192.168.0.0/16',
  benchmarking: '198.18.0.0/15',
  'documentation, too': '198.51.100.0/24',
  'documentation as well': '203.0.113.0/24',
  multicast: '224.0.0.0/4',
  'reserved, and broadcast': '240.0.0.0/4',
  'the host of a virtual machine on Azure': '168.63.129.16/32',
}

/** The part of IPv6 that is of the internet. IPv4-mapped, NAT64, unique local, link-local and multicast lie outside. */
const internet6 = '2000::/3'
const refused6 = {
  'protocol assignments, Teredo among them': '2001::/23',
  documentation: '2001:db8::/32',
  '6to4': '2002::/16',
  'documentation, too': '3fff::/20',
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const outside4 = listOf(Object.values(refused4), 'ipv4')
const inside6 = listOf([internet6], 'ipv6')
const outside6 = listOf(Object.values(refused6), 'ipv6')

/** Whether an address lies in the internet, as far as its number tells. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  // A zone says that the address means something on one machine only.
  if (family === 0 || address.includes('%')) return false
  if (family === 4) return !outside4.check(address, 'ipv4')
  return inside6.check(address, 'ipv6') && !outside6.check(address, 'ipv6')
}
