import { newDirectory } from '../../../server/test/harness/scratch.ts'
import type { Upstream } from '../client.ts'
import { startServer } from './start-server.ts'

const script = `
const { runServer } = require('verdaccio')
const { DIRECTORY: directory } = process.env
runServer({
  self_path: directory,
  configPath: directory + '/config.yaml',
  storage: directory,
  auth: { htpasswd: { file: directory + '/htpasswd' } },
  uplinks: {},
  packages: { '**': { access: '$all', publish: '$all' } },
  log: { type: 'stdout', format: 'json', level: 'fatal' },
  web: { enable: false },
}).then((app) => {
  const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
})`

/** verdaccio, a registry for npm, with two packages, `judged-a` and `judged-b`. */
export async function startVerdaccio(node: string): Promise<Upstream> {
  const scratch = newDirectory()
  const { url, stop } = await startServer({ node, script, env: { DIRECTORY: scratch.path }, fill })
  return {
    url,
    // A version is published once, however often it comes.
    async changes() {
      const response = await fetch(`${url}/judged-package`)
      if (!response.ok) return 0
      const { versions } = (await response.json()) as { versions: object }
      return Object.keys(versions).length
    },
    async stop() {
      await stop()
      scratch.remove()
    },
  }
}

async function fill(url: string): Promise<void> {
  for (const name of ['judged-a', 'judged-b']) {
    const { ok, status } = await fetch(`${url}/${name}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(documentOf(name)),
    })
    if (!ok) throw new Error(`verdaccio does not take a package: ${status}.`)
  }
}

/** What `npm publish` sends, with one byte for the archive. */
const documentOf = (name: string) => ({
  _id: name,
  name,
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': { name, version: '1.0.0', dist: {} } },
  _attachments: { [`${name}-1.0.0.tgz`]: { content_type: 'application/octet-stream', data: 'AA==', length: 1 } },
})
