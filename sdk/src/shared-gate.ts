import { Gate } from './gate.ts'
import type { PetStoreOptions } from './options.ts'
import type { Time } from './time.ts'

/** By service and key, as long as some client uses them. */
const gates = new Map<string, WeakRef<Gate>>()
const sweptAbove = 100

/** Clients of one key share a gate, so that a program may make one for each of its jobs. One with a time of its own stays alone. */
export function gateFor({ baseUrl, apiKey = '', now, sleep }: PetStoreOptions, time: Time): Gate {
  if (now || sleep) return new Gate(time)
  const name = `${baseUrl} ${apiKey}`
  const known = gates.get(name)?.deref()
  if (known) return known
  if (gates.size > sweptAbove) for (const [each, gate] of gates) if (!gate.deref()) gates.delete(each)
  const gate = new Gate(time)
  gates.set(name, new WeakRef(gate))
  return gate
}
