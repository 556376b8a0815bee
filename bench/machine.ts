// Whether the machine disturbs a measurement.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { warmUps } from './settings.ts'

interface Shares {
  /** Shares of the time of all cores: in use, taken by other machines on the same hardware, and idle while waiting for the disk. */
  readonly busy: number
  readonly stolen: number
  readonly waiting: number
}

/** Starts watching; the returned function says what happened since. All zero on a system that does not report it. */
export function watchMachine(): () => Shares {
  const before = readTicks()
  return () => {
    const after = readTicks()
    const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = after.map(
      (ticks, index) => ticks - (before[index] ?? 0),
    )
    const busy = user + nice + system + irq + softIrq
    const all = Math.max(1, busy + idle + waiting + stolen)
    return { busy: busy / all, stolen: stolen / all, waiting: waiting / all }
  }
}

function readTicks(): number[] {
  try {
    return (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').split(/\s+/).slice(1).map(Number)
  } catch {
    return []
  }
}

const percent = (share: number) => `${Math.round(share * 100)} %`

/** Why a measurement cannot be trusted, or undefined. */
export function disturbanceIn({ stolen, waiting }: Shares): string | undefined {
  if (stolen > 0.02) return `${percent(stolen)} of the processor time went to other machines`
  return waiting > 0.1 ? `the processors waited for the disk for ${percent(waiting)} of the time` : undefined
}

/** Throws if others use the machine, unless the bench is only being tried out. Call it while nothing is being measured. */
export async function mustBeQuiet(): Promise<void> {
  if (warmUps === 0) return
  const stop = watchMachine()
  await Bun.sleep(1_000)
  const { busy } = stop()
  const allowed = 0.15 / Math.min(2, availableParallelism())
  if (busy > allowed) throw new Error(`This machine is ${percent(busy)} busy with other work, so nothing is measured.`)
}
