// npm run bench: this service compared with bare servers, hand-written handlers and peers, on both engines; writes RESULTS.md.
// npm run bench -- postgres: only the PostgreSQL part. npm run bench -- against <commit>: compared with an earlier commit of itself.
// npm run bench -- sandbox: what sandboxes cost. npm run bench -- judge: what the proxy of petstore judge adds to a request.

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  compare: () => import('./compare.ts'),
  postgres: () => import('./postgres.ts'),
  against: () => import('./against.ts'),
  sandbox: () => import('./sandbox.ts'),
  judge: () => import('./judge.ts'),
}

const [, , name = 'compare'] = process.argv
const part = parts[name]
if (!part) throw new Error(`There is no part ${name}. Name one of: ${Object.keys(parts).join(', ')}.`)
await part()
process.exit(0)

export {}
