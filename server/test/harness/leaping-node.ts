import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/platform/lib/clock.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { petShop } from '../../src/shop/index.ts'
import { start } from '../../src/start.ts'

// The service as a process whose clock is ahead by the milliseconds in the file LEAP_FILE, so that a test can let days pass.

const { LEAP_FILE = '' } = process.env
const readLeap = () => Number(readFileSync(LEAP_FILE, 'utf8'))
let leapMs = readLeap()
setInterval(() => {
  leapMs = readLeap()
}, 20)

const clock = systemClock(() => Date.now() + leapMs)
const log = createLog('warn', (text) => process.stderr.write(text), clock.now)
start(petShop, readConfig(process.env), clock, log).then(({ port }) =>
  process.stdout.write(`Pet Store is ready on port ${port}.\n`),
)
