import { expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { eventually } from '../harness/eventually.ts'
import { runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

// Takes two minutes, so it is one of the long tests. Linux only, where /proc lists the sockets of a process.

const torture = process.env.TORTURE !== undefined && process.platform === 'linux'

const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

if (torture) test('responses that the client does not read are dropped, pages too', expectDropped)

async function expectDropped(): Promise<void> {
  using home = newDirectory()
  await using service = runService({ cwd: home.path })
  await service.ready
  const before = socketsOf(service.pid)
  const readers = ['/openapi.json', '/docs', '/pets'].map((path) => {
    const socket = connect(service.port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`))
    socket.on('error', () => undefined)
    return socket.pause()
  })
  const open = () => socketsOf(service.pid)
  await eventually(() => open() >= before + readers.length, open)
  await eventually(() => open() <= before, open)
  for (const reader of readers) reader.destroy()
  expect(socketsOf(service.pid)).toBe(before)
}
