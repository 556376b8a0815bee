// A sample of the mutants that is the same for the same seed, and nearly the same after a small change to the code.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { filesIn } from '../../server/test/harness/repository-files.ts'
import type { Mutant } from './mutant.ts'
import type { Compiler } from './types.ts'

/** Generated, frozen, or only types and texts. */
const isLeftOut = (file: string): boolean =>
  /^sdk\/src\/(schema|names)\.ts$|^server\/src\/(platform\/db|shop)\/migrations\/|\.d\.ts$/.test(file)

const packages = ['server', 'sdk', 'cli', 'console']

export const sourceFiles = (): string[] =>
  packages
    .flatMap((name) => filesIn(`${name}/src`, /\.tsx?$/).map((file) => `${name}/src/${file}`))
    .filter((file) => !isLeftOut(file))

/** Each folder gets a share by its lines; in a folder the rules take turns. A line gets one mutant. */
export async function takeSample(compiler: Compiler, seed: number, size: number): Promise<Mutant[]> {
  const folders = Map.groupBy(sourceFiles(), dirname)
  const linesOf = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length, 0)
  const lines = new Map([...folders].map(([folder, files]) => [folder, linesOf(files)]))
  const sample: Mutant[] = []
  for (const [folder, count] of shareOut(size, lines)) {
    sample.push(...(await sampleFolder(compiler, folders.get(folder) ?? [], seed, count)))
  }
  return sample
}

async function sampleFolder(compiler: Compiler, files: readonly string[], seed: number, count: number) {
  const all = (await Promise.all(files.map((file) => compiler.mutantsOf(file)))).flat()
  const taken: Mutant[] = []
  const places = new Set<string>()
  for (const mutant of inTurns(
    Map.groupBy(byLot(all, seed), ({ rule }) => rule)
      .values()
      .toArray(),
  )) {
    if (taken.length === count) break
    const place = `${mutant.file}:${mutant.line}`
    if (places.has(place) || !(await compiler.compiles(mutant, readFileSync(mutant.file, 'utf8')))) continue
    places.add(place)
    taken.push(mutant)
  }
  return taken
}

const byLot = (mutants: readonly Mutant[], seed: number): Mutant[] =>
  mutants
    .map((mutant) => ({ mutant, lot: Bun.hash(mutant.id, seed) }))
    .toSorted((one, other) => (one.lot < other.lot ? -1 : 1))
    .map(({ mutant }) => mutant)

/** The first of each list, then the second of each. */
function* inTurns<T>(lists: readonly (readonly T[])[]): Generator<T> {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let index = 0; index < longest; index++) {
    for (const list of lists) if (index < list.length) yield list[index] as T
  }
}

/** Whole shares by weight; the largest remainders get what is left. */
function shareOut(size: number, weights: ReadonlyMap<string, number>): Map<string, number> {
  const total = weights.values().reduce((sum, weight) => sum + weight, 0)
  const exact = [...weights].map(([name, weight]) => ({ name, share: (size * weight) / total }))
  const shares = new Map(exact.map(({ name, share }) => [name, Math.floor(share)]))
  const missing = size - shares.values().reduce((sum, share) => sum + share, 0)
  const byRemainder = exact.toSorted((one, other) => (other.share % 1) - (one.share % 1))
  for (const { name } of byRemainder.slice(0, missing)) shares.set(name, (shares.get(name) ?? 0) + 1)
  return shares
}
