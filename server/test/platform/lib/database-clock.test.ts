import { expect, test } from 'bun:test'
import { databaseClock } from '../../../src/platform/lib/database-clock.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const hour = 3_600_000
const day = 24 * hour

/** A clock on a machine this far ahead of the database's clock, which shows noon at first. */
function clockOn(machineAheadMs: number) {
  let running = 5_000
  let databaseAt = noon
  let ahead = machineAheadMs
  const clock = databaseClock(
    () => databaseAt + ahead,
    () => running,
  )
  const pass = (ms: number) => {
    running += ms
    databaseAt += ms
  }
  return {
    clock,
    pass,
    /** Reads the database's clock, with some latency in both directions. */
    read(thereMs = 0, backMs = 0) {
      const sentAt = running
      pass(thereMs)
      const at = databaseAt
      pass(backMs)
      clock.follow({ at, sentAt, receivedAt: running })
    },
    setDatabase: (ms: number) => {
      databaseAt += ms
      ahead -= ms
    },
    setMachine: (ms: number) => {
      ahead += ms
    },
    /** How far it is ahead of the database's clock. */
    off: () => clock.now() - databaseAt,
  }
}

test.each([0, day, 300_000, -300_000])(
  'it shows the time of the database on a machine that is %d ms ahead',
  (aheadMs) => {
    const { clock, read, pass, off } = clockOn(aheadMs)
    expect(off()).toBe(aheadMs)
    read()
    expect([off(), clock.machineAheadMs()]).toEqual([0, aheadMs])
    pass(10_000)
    expect(off()).toBe(0)
  },
)

test('setting the clock of the machine changes nothing', () => {
  const { clock, read, pass, off, setMachine } = clockOn(0)
  read()
  setMachine(day)
  pass(1_000)
  expect([off(), clock.machineAheadMs()]).toEqual([0, day])
})

test('a slow reading is wrong by at most half its duration, and a fast one corrects that', () => {
  const { read, off } = clockOn(day)
  read(0, 800)
  expect(Math.abs(off())).toBeLessThanOrEqual(400)
  read(1, 1)
  expect(Math.abs(off())).toBeLessThanOrEqual(1)
  read(900, 0)
  read(0, 900)
  expect(Math.abs(off())).toBeLessThanOrEqual(1)
})

test('after a small step back of the database the clock stands still until it catches up', () => {
  const { clock, read, pass, setDatabase } = clockOn(0)
  read()
  const before = clock.now()
  setDatabase(-900)
  read()
  expect(clock.now()).toBe(before)
  pass(900)
  expect(clock.now()).toBe(before)
  pass(1)
  expect(clock.now()).toBe(before + 1)
})

test('data is old only if it is old by both clocks, that of the database and that of the machine', () => {
  const ahead = clockOn(day)
  ahead.read()
  expect(ahead.clock.settled()).toBe(noon)
  const behind = clockOn(-day)
  behind.read()
  expect(behind.clock.settled()).toBe(noon - day)
})

test('a forward jump of the database counts as settled after ten minutes', () => {
  const { clock, read, pass, setDatabase } = clockOn(2 * day)
  read()
  setDatabase(day)
  read()
  expect(clock.now()).toBe(noon + day)
  expect(clock.settled()).toBe(noon)
  pass(10 * 60_000)
  clock.now()
  expect(clock.settled()).toBe(noon + day + 10 * 60_000)
})
