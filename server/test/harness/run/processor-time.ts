import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100

/**
 * The processor time of a process, its descendants, and those of them that ended and were waited for. The system counts a browser only
 * if its parent outlives it, so this reads what is running. 0 where there is no /proc.
 */
export function processorSecondsOf(root: number): number {
  const children = new Map<number, number[]>()
  const seconds = new Map<number, number>()
  for (const [pid, parent, time] of readProcesses()) {
    children.set(parent, [...(children.get(parent) ?? []), pid])
    seconds.set(pid, time)
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), seconds.get(pid) ?? 0)
  return sum(root)
}

function* readProcesses(): Generator<[pid: number, parent: number, seconds: number]> {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    let line: string
    try {
      line = readFileSync(`/proc/${name}/stat`, 'utf8')
    } catch {
      continue // It has ended.
    }
    // After the program's name, which may contain anything: state, parent; from the 12th: user, system, and both of waited children.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
    yield [Number(name), Number(fields[1]), ticks / ticksPerSecond]
  }
}
