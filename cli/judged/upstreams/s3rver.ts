import { newDirectory } from '../../../server/test/harness/scratch.ts'
import type { Upstream } from '../client.ts'
import { startServer } from './start-server.ts'

const script = `
const S3rver = require('s3rver')
const { DIRECTORY: directory } = process.env
new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: 'judged' }] })
  .run()
  .then(({ port }) => console.log(port))`

/** s3rver, which serves the API of S3 from a folder, with a bucket that has two objects, `a` and `b`. */
export async function startS3rver(node: string): Promise<Upstream> {
  const scratch = newDirectory()
  const { url, stop } = await startServer({ node, script, env: { DIRECTORY: scratch.path }, fill })
  return {
    url,
    // The only key that s3rver knows.
    env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    // A PUT that comes again stores the same.
    changes: async () => Number((await fetch(`${url}/judged/new`)).ok),
    async stop() {
      await stop()
      scratch.remove()
    },
  }
}

async function fill(url: string): Promise<void> {
  for (const key of ['a', 'b']) {
    const { ok, status } = await fetch(`${url}/judged/${key}`, { method: 'PUT', body: key })
    if (!ok) throw new Error(`s3rver does not take an object: ${status}.`)
  }
}
