import { existsSync, readFileSync } from 'node:fs'

/** CPU time of the main process of a PostgreSQL, its children, and those that have ended. */
export function databaseSeconds(pid: number): number {
  const ticks = (of: string, fields: readonly number[]) => {
    const file = `/proc/${of}/stat`
    const all = existsSync(file) ? (readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []) : []
    return fields.reduce((sum, field) => sum + Number(all[field] ?? 0), 0)
  }
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const running = children.reduce((sum, child) => sum + ticks(child, [11, 12]), 0)
  return (ticks(String(pid), [11, 12, 13, 14]) + running) / 100
}
