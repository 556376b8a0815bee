import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../judge/src/report.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import type { Client, Scenario, Setting } from './client.ts'

/** The part of an HTTP archive that is read here. */
export interface Archive {
  readonly log: { readonly creator: object; readonly entries: readonly Entry[] }
}

/** One request with its response. The fields with an underscore are those of `petstore judge`. */
export interface Entry {
  readonly startedDateTime: string
  readonly time: number
  readonly _operation?: string
  readonly _name?: string
  readonly _fault?: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly { readonly name: string; readonly value: string }[]
    readonly postData?: { readonly text: string }
  }
  readonly response: { readonly status: number }
}

/** What one run showed. */
export interface Run {
  readonly report: Report
  readonly archive: Archive
  /** How often the change of the scenario `lost` was made. */
  readonly changes: number
}

const command = join(import.meta.dir, '../src/petstore.ts')

/** Runs a client through one scenario with `petstore judge`. */
export async function judgeClient(client: Client, setting: Setting, scenario: Scenario): Promise<Run> {
  using scratch = newDirectory()
  const upstream = await client.startUpstream()
  try {
    const har = join(scratch.path, 'recorded.har')
    const options = ['--upstream', upstream.url, '--profile', client.profile, '--only', scenario, '--seed', 'judged']
    const words = ['judge', ...options, '--har', har, '--json', '--', ...client.command(setting, scenario)]
    // Settings of whoever runs this, such as a proxy or .curlrc, are not those of the client.
    const home = join(scratch.path, 'home')
    mkdirSync(home)
    const child = Bun.spawn([process.execPath, command, ...words], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, ...upstream.env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (!output.startsWith('{')) throw new Error(`${client.name}, ${setting}, ${scenario}: ${output}${errors}`)
    return {
      report: JSON.parse(output),
      archive: JSON.parse(readFileSync(har, 'utf8')),
      changes: await upstream.changes(),
    }
  } finally {
    await upstream.stop()
  }
}
