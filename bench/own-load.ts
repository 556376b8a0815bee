// A load generator for machines without wrk: raw keep-alive sockets, one request at a time on each.
// Prints its measurements as JSON.
import { connect } from 'node:net'

const [options = '{}'] = process.argv.slice(2)
const { port, connections, seconds, requests } = JSON.parse(options) as {
  port: number
  connections: number
  seconds: number
  requests: string[]
}
const all = requests.map((request) => Buffer.from(request))
let sent = 0
const latencies: number[] = []
let rejected = 0
const started = performance.now()
const until = started + seconds * 1000

function drive(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let pending: Buffer = Buffer.alloc(0)
    const send = () => {
      sentAt = performance.now()
      socket.write(all[sent++ % all.length] as Buffer)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = pending.toString('latin1', 0, headEnd)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (pending.length < headEnd + 4 + length) return
      pending = pending.subarray(headEnd + 4 + length)
      const now = performance.now()
      latencies.push(now - sentAt)
      if (head.charCodeAt(9) !== 0x32) rejected++
      if (now < until) send()
      else socket.destroy()
    })
  })
}

await Promise.all(Array.from({ length: connections }, drive))
const elapsed = (performance.now() - started) / 1000
latencies.sort((a, b) => a - b)
process.stdout.write(
  `${JSON.stringify({ requests: latencies.length, perSecond: latencies.length / elapsed, p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0, rejected })}\n`,
)
