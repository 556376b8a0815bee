import type { Command } from 'commander'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'

/** Writes the beginning of a profile. */
export function addDraft(group: Command, terminal: Terminal): void {
  const command = group
    .command('profile')
    .description('Write a first profile from an OpenAPI document. Comments name what the document does not say.')
    .action(async () => {
      const { openapi } = command.optsWithGlobals<{ readonly openapi?: string }>()
      if (openapi === undefined) return command.error('error: --openapi is missing')
      const { readDescription } = await import('./read-description.ts')
      const { draftProfile } = await import('./draft-profile.ts')
      await terminal.write(draftProfile(await readDescription(openapi)))
    })
  withExamples(command, ['petstore judge profile --openapi api.yaml > profile.yaml', 'then answer its comments'])
}
