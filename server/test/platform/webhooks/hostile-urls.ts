// URLs that must not be reached, in any notation. `PORT` is a loopback port that counts connections.

const loopback = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0x7F.0.0.0x1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[0::ffff:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[::ffff:0:127.0.0.1]',
  '[2001:4860::5efe:7f00:1]',
  '[2001:4860::200:5efe:127.0.0.1]',
  '[2606:4700:0:1:0:5efe:a00:1]',
  'localhost',
  'LOCALHOST',
  'LocalHost.',
  'localhost.localdomain',
  'a.localhost',
  'ⓛocalhost',
  'loopback',
  'ip6-localhost',
]
const elsewhere = [
  '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '0xc0a80001', '3232235521', '169.254.169.254',
  '2852039166', '0xA9FEA9FE', '169.254.170.2', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]', '100.64.0.1', '100.100.100.200',
  '168.63.129.16', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.19.0.1', '192.88.99.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
  '[fe80::1]', '[fe80::1%25eth0]', '[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[3fff::1]', '[100::1]', '[2002:c0a8:1::]',
  'metadata', 'metadata.google.internal', 'printer.local', 'router.lan', 'intranet', 'db.corp', 'nas.home.arpa',
] // biome-ignore format: a list to look through

/** Strings that are not a receiver's URL, or point to another host than it seems. */
const odd = [
  'http://example.com/', 'HTTP://example.com', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://127.0.0.1:PORT/_x', 'data:text/plain,x', 'javascript:1',
  'https:/127.0.0.1:PORT/', 'https:127.0.0.1:PORT', '//127.0.0.1:PORT/', 'https://', 'https:///x', 'https://example.com@127.0.0.1:PORT/', 'https://user:pw@example.com/',
  'https://@example.com/', 'https://example.com:80@127.0.0.1:PORT/', 'https://127.0.0.1:PORT#@example.com/', 'https://127.0.0.1:PORT\\@example.com/', 'https://example.com\\.evil/',
  ' https://example.com/', 'https://exa mple.com/', 'https://example.com/\r\nX-Injected: 1', 'https://exa\tmple.com/', 'https://example.com:22/', 'https://example.com:25/',
  'https://example.com:0/', 'https://example.com:65536/', 'https://example.com:443:PORT/', 'https://example.com./', 'https://256.256.256.256/', 'https://[::1/', 'https://1.2.3.4.5/',
  'https://example.com/#fragment', 'https://example.com/#', 'https://example.com/\ud800', `https://example.com/${'x'.repeat(2_100)}`, 'unix:/var/run/docker.sock', 'https+unix://%2Fvar%2Frun%2Fdocker.sock/', '', 'example.com',
] // biome-ignore format: a list to look through

export const hostileUrls = (port: number): string[] =>
  [...[...loopback, ...elsewhere].map((host) => `https://${host}:PORT/`), ...odd].map((url) =>
    url.replaceAll('PORT', String(port)),
  )
