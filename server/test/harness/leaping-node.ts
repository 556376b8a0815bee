import { readFileSync } from 'node:fs'
import { announce } from '../../src/announce.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { petShop } from '../../src/shop/index.ts'
import { createClock, start } from '../../src/start.ts'

// The service as a process whose clock is ahead by the milliseconds in the file LEAP_FILE, so that a test can let minutes or days pass.

const { LEAP_FILE = '' } = process.env
const leapMs = () => Number(readFileSync(LEAP_FILE, 'utf8'))

const config = readConfig(process.env)
const steady = createClock(config)
const clock = { ...steady, now: () => steady.now() + leapMs() }
const log = createLog(config.logLevel, (text) => process.stderr.write(text), clock.now)
start(petShop, config, clock, log).then((service) => process.stdout.write(`${announce(petShop, config, service)}\n`))
