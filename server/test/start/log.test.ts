import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { createLog, type LogLevel, limitRepeats, logLevels } from '../../src/platform/telemetry/log.ts'
import { createRecentResponses } from '../../src/platform/telemetry/request-log.ts'

const writable = ['debug', 'info', 'warn', 'error'] as const

/** A log, and its lines so far. */
function newLog(level: LogLevel, now = () => 0) {
  const written: string[] = []
  const log = createLog(level, (text) => written.push(text), now)
  const lines = () => {
    log.flush()
    return written
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }
  return { log, lines }
}

test.each(logLevels)('at LOG_LEVEL %s, lines of that level and above are written', (level) => {
  const { log, lines } = newLog(level)
  for (const each of writable) log.write(each, 'something happened')
  expect(lines().map((line) => line.level)).toEqual(writable.slice(logLevels.indexOf(level)))
})

test('each line has its own time, level, message and fields, however much of them it shares with the line before', () => {
  let now = 1_000
  const { log, lines } = newLog('info', () => now)
  log.write('info', 'one', { id: 1 })
  log.write('info', 'one', { id: 2 })
  log.write('info', 'two')
  log.write('warn', 'two')
  now = 2_000
  log.write('warn', 'two')
  log.write('warn', 'two', { id: 3 }, 1_500)
  expect(lines()).toEqual([
    { time: '1970-01-01T00:00:01.000Z', level: 'info', message: 'one', id: 1 },
    { time: '1970-01-01T00:00:01.000Z', level: 'info', message: 'one', id: 2 },
    { time: '1970-01-01T00:00:01.000Z', level: 'info', message: 'two' },
    { time: '1970-01-01T00:00:01.000Z', level: 'warn', message: 'two' },
    { time: '1970-01-01T00:00:02.000Z', level: 'warn', message: 'two' },
    { time: '1970-01-01T00:00:01.500Z', level: 'warn', message: 'two', id: 3 },
  ])
})

test.each(['json', 'text'] as const)('a log as %s can have fields that are in every line', (format) => {
  const written: string[] = []
  const log = createLog(
    'info',
    (text) => written.push(text),
    () => 0,
    format,
  )
  const ofSandbox = log.with({ sandbox: 'a "b"' })
  ofSandbox.write('info', 'one', { id: 1 })
  log.write('info', 'one')
  ofSandbox.write('info', 'one')
  log.flush()
  const lines = written.join('').trimEnd().split('\n')
  const ends = {
    json: ['"one","sandbox":"a \\"b\\"","id":1}', '"one"}', '"one","sandbox":"a \\"b\\""}'],
    text: ['one sandbox="a \\"b\\"" id=1', 'one', 'one sandbox="a \\"b\\""'],
  }
  expect(lines.map((line, index) => line.endsWith(ends[format][index] ?? '?'))).toEqual([true, true, true])
})

test('the last minute counts responses by their result, for 60 seconds', () => {
  let now = Date.UTC(2026, 10, 15, 12, 0, 0, 500)
  const minute = createRecentResponses({ now: () => now, settled: () => now }, 1000, 60)
  for (const status of [200, 304, 399, 400, 429, 499, 500, 503]) minute.count(status, now)
  const all = { requests: 8, rejected: 3, failed: 2 }
  expect(minute.read()).toEqual(all)
  now += 59_000
  minute.count(200, now)
  expect(minute.read()).toEqual({ ...all, requests: 9 })
  now += 1_000
  expect(minute.read()).toEqual({ requests: 1, rejected: 0, failed: 0 })
  // The second that is counted in the same place a minute later starts from zero.
  minute.count(500, now)
  expect(minute.read()).toEqual({ requests: 2, rejected: 0, failed: 1 })
})

describe('failures that repeat', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => {
    // Without another failure, the timer of the sums ends.
    jest.advanceTimersByTime(2_000)
    jest.useRealTimers()
  })

  test('are written once, then as a sum each second, until there are none', () => {
    const { log, lines } = newLog('info')
    const limited = limitRepeats(log)
    const fail = () => limited.write('warn', 'the database failed', { reason: 'away' })
    const sums = () => lines().map(({ times }) => times)
    for (let count = 0; count < 3; count++) fail()
    expect(sums()).toEqual([undefined])
    jest.advanceTimersByTime(1_000)
    expect(sums()).toEqual([undefined, 2])
    jest.advanceTimersByTime(5_000)
    expect(sums()).toEqual([undefined, 2])
    fail()
    expect(sums()).toEqual([undefined, 2, undefined])
  })
})
