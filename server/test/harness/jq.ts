// Replaces jq if it is not installed. Supports only the filters in README and guides.
export {}

const asText = process.argv.includes('-r')
const filter = process.argv.slice(2).find((word) => word !== '-r') ?? '.'
const values = [...(await Bun.stdin.text()).trim().matchAll(/[\s\S]+/g)].map(([text]) => JSON.parse(text))

/** The steps of a filter: `.[0].id` is 0, then id; `.[]` is each. */
const steps = [...filter.matchAll(/\.?\[(\d*)\]|\.(\w+)/g)].map(([, index, name]) =>
  name !== undefined ? name : index === '' ? undefined : Number(index),
)
const found = steps.reduce<unknown[]>(
  (from, step) =>
    from.flatMap((value) => (step === undefined ? (value as unknown[]) : [(value as Record<string, unknown>)[step]])),
  values,
)
for (const value of found) {
  process.stdout.write(`${asText && typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)}\n`)
}
