import { Gate } from './gate.ts'
import type { Settings } from './settings.ts'

/** By service and key, while a client uses them. */
const gates = new Map<string, WeakRef<Gate>>()
const sweepAbove = 100

/** Clients of one key share a gate, so a program may create several. A client with its own clock gets its own gate. */
export function gateFor({ baseUrl, apiKey = '', time, hasOwnTime }: Settings): Gate {
  if (hasOwnTime) return new Gate(time)
  const name = `${baseUrl} ${apiKey}`
  const known = gates.get(name)?.deref()
  if (known) return known
  if (gates.size > sweepAbove) for (const [each, gate] of gates) if (!gate.deref()) gates.delete(each)
  const gate = new Gate(time)
  gates.set(name, new WeakRef(gate))
  return gate
}
