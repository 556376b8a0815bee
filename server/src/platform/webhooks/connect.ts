import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'

/** Small enough for only a few interim responses. */
const chunkBytes = 1024

/**
 * Connects, and passes received data on in small chunks. A socket emits up to half a megabyte at once, and the HTTP parser processes
 * all of it even after the request was destroyed: 20,000 interim responses, which take a third of a second.
 */
export function connectInChunks(
  options: net.TcpNetConnectOpts | tls.ConnectionOptions,
  { isTls, onError }: { isTls: boolean; onError: (error: Error) => void },
): Duplex {
  const socket = isTls ? tls.connect(options) : net.connect(options as net.TcpNetConnectOpts)
  const stream = new Duplex({
    read: () => void socket.resume(),
    // A failed write is reported by the socket's error event, which follows.
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, () => done()),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length && !stream.destroyed; from += chunkBytes) {
      if (!stream.push(chunk.subarray(from, from + chunkBytes))) socket.pause()
    }
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => {
    onError(error)
    stream.destroy(error)
  })
  socket.on('close', () => stream.destroy())
  return stream
}
