import { join } from 'node:path'

// The tested generators. Each writes a client of the served description to a folder with its name.

const generated = join(import.meta.dir, 'generated')
export const descriptionFile = join(generated, 'openapi.json')
export const folderOf = (name: string): string => join(generated, name)
const program = (name: string): string => join(import.meta.dir, 'node_modules/.bin', name)

export interface Generator {
  /** Its folder in generated/, and the name of its file in trips/. */
  readonly name: string
  readonly command: readonly string[]
  /** Compiler flags that its generated code violates, whatever the description says. */
  readonly without?: Readonly<Record<string, false>>
  /** Its calls return no headers, so it cannot find the next page. */
  readonly hidesHeaders?: true
}

export const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    command: [program('openapi-typescript'), descriptionFile, '--output', join(folderOf('openapi-fetch'), 'schema.ts')],
  },
  {
    name: 'hey-api',
    command: [program('openapi-ts'), '--input', descriptionFile, '--output', folderOf('hey-api'), '--no-log-file'],
    // Its issue 2363.
    without: { exactOptionalPropertyTypes: false },
  },
  {
    name: 'oazapfts',
    command: [program('oazapfts'), descriptionFile, join(folderOf('oazapfts'), 'client.ts')],
    // It spreads optional arguments into its internal calls.
    without: { exactOptionalPropertyTypes: false },
  },
  {
    name: 'orval',
    command: [program('orval'), '--config', join(import.meta.dir, 'orval.config.ts'), '--fail-on-warnings'],
  },
  {
    name: 'openapi-typescript-codegen',
    command: [
      program('openapi'),
      ...['--input', descriptionFile],
      ...['--output', folderOf('openapi-typescript-codegen')],
      ...['--client', 'fetch'],
    ],
    hidesHeaders: true,
  },
  {
    name: 'swagger-typescript-api',
    command: [
      program('swagger-typescript-api'),
      'generate',
      ...['--path', descriptionFile],
      ...['--output', folderOf('swagger-typescript-api')],
      ...['--name', 'client.ts'],
    ],
  },
  {
    name: 'openapi-zod-client',
    command: [
      program('openapi-zod-client'),
      descriptionFile,
      ...['--output', join(folderOf('openapi-zod-client'), 'client.ts')],
      '--with-alias',
    ],
    hidesHeaders: true,
  },
]
