import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const statuses = ['available', 'available', 'available', 'pending', 'sold'] as const

/** A pet of a made-up shop: every status, different stock, some hostile names. */
export function petAt(index: number) {
  const status = statuses[index % statuses.length] as (typeof statuses)[number]
  const stock = status === 'available' ? 1 + (index % 4) : index % 3
  const name = index % 50 === 0 ? `=Pet "${index}", ✓` : `Pet ${index}`
  return { kind: 'pet', name, category: `Kind ${index % 7}`, status, stock }
}

export async function writePets(path: string, count: number): Promise<void> {
  const file = createWriteStream(path)
  for (let index = 0; index < count; index++) {
    if (!file.write(`${JSON.stringify(petAt(index))}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
