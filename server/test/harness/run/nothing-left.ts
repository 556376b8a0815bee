// Loaded before the test files of a process. When they have stopped what they started, it fails if the product left a timer or a
// listener behind, or if the process still listens on a port.
import { afterAll } from 'bun:test'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const patienceMs = 5_000

/** The line of the product that called the function which calls this; undefined if a test or a library did. */
function callingLine(): string | undefined {
  const callers = new Error().stack?.split('\n').slice(3) ?? []
  const caller = callers.find((line) => !line.includes('(native:')) ?? ''
  return /\b(?:server|sdk|cli|judge)\/src\/[^)]*/.exec(caller)?.[0]
}

type Callback = (...values: unknown[]) => void

/** From now on, counts the timers that the product starts. Returns those that run. */
function watchTimers(): () => string[] {
  const { setTimeout, setInterval, clearTimeout } = globalThis
  const lines = new Map<NodeJS.Timeout, string>()
  const keep = (timer: NodeJS.Timeout, line: string | undefined): NodeJS.Timeout => {
    if (line !== undefined) lines.set(timer, line)
    return timer
  }
  const clear = (timer: NodeJS.Timeout) => {
    lines.delete(timer)
    clearTimeout(timer)
  }
  Object.assign(globalThis, {
    setTimeout(callback: Callback, ms?: number, ...values: unknown[]) {
      const run = () => {
        lines.delete(timer)
        callback(...values)
      }
      const timer = keep(setTimeout(run, ms), callingLine())
      return timer
    },
    setInterval: (callback: Callback, ms?: number, ...values: unknown[]) =>
      keep(setInterval(callback, ms, ...values), callingLine()),
    clearTimeout: clear,
    clearInterval: clear,
  })
  return () => [...lines.values()].map((line) => `a timer of ${line}`)
}

/** From now on, counts the listeners that the product adds to the signals of controllers. Returns those that may still be called. */
function watchSignals(): () => string[] {
  const { addEventListener, removeEventListener } = AbortSignal.prototype
  const lines = new WeakMap<AbortSignal, Map<Callback, string>>()
  // When a signal is gone, so are its listeners.
  const signals = new Set<WeakRef<AbortSignal>>()
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super()
      lines.set(this.signal, new Map())
      signals.add(new WeakRef(this.signal))
    }
  }
  Object.assign(AbortSignal.prototype, {
    addEventListener(this: AbortSignal, type: string, listener: Callback, options?: object) {
      const line = callingLine()
      if (line !== undefined) lines.get(this)?.set(listener, line)
      addEventListener.call(this, type, listener, options)
    },
    removeEventListener(this: AbortSignal, type: string, listener: Callback) {
      lines.get(this)?.delete(listener)
      removeEventListener.call(this, type, listener)
    },
  })
  return () =>
    [...signals]
      .map((signal) => signal.deref())
      .flatMap((signal) => (signal?.aborted === false ? [...(lines.get(signal)?.values() ?? [])] : []))
      .map((line) => `a listener of ${line}`)
}

/** The ports on which this process listens, on a system that tells. */
function openPorts(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n').slice(1))
  const sockets = rows.map((row) => row.trim().split(/\s+/)).filter(([, , , state]) => state === '0A')
  const addresses = new Map(sockets.map(([, address, , , , , , , , inode]) => [`socket:[${inode}]`, address]))
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const address = addresses.get(readlinkSync(`/proc/self/fd/${fd}`) as `socket:[${string}]`)
      return address === undefined ? [] : [`the port ${Number.parseInt(address.split(':')[1] ?? '', 16)}`]
    } catch {
      // Closed meanwhile.
      return []
    }
  })
}

const timers = watchTimers()
const listeners = watchSignals()
const left = () => [...timers(), ...listeners(), ...openPorts()]

afterAll(async () => {
  const giveUpAt = performance.now() + patienceMs
  while (left().length > 0 && performance.now() < giveUpAt) {
    Bun.gc(true)
    await Bun.sleep(20)
  }
  const counts = [...Map.groupBy(left(), (one) => one)].map(
    ([one, all]) => `${one}${all.length > 1 ? `, ${all.length} times` : ''}`,
  )
  if (counts.length > 0) throw new Error(`left over after ${patienceMs / 1_000} s:\n${counts.join('\n')}`)
})
