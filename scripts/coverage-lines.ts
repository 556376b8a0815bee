/** Which lines of each file can run, and whether they did. */
export type Lines = Map<string, Map<number, boolean>>

/** Adds what one run saw to what others saw. */
export function addLine(lines: Lines, file: string, line: number, ran: boolean): void {
  const known = lines.getOrInsertComputed(file, () => new Map())
  known.set(line, ran || known.get(line) === true)
}

/** Adds the lines of an lcov file, such as Bun writes. */
export function addLcov(lines: Lines, lcov: string): void {
  let file = ''
  for (const record of lcov.split('\n')) {
    const [, kind, value = ''] = /^(SF|DA):(.*)$/.exec(record) ?? []
    if (kind === 'SF') file = value
    if (kind !== 'DA') continue
    const [line, times] = value.split(',').map(Number)
    addLine(lines, file, line as number, (times as number) > 0)
  }
}
