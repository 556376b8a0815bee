// The reference of the SDK's methods, sdk/METHODS.md: signatures from its types, errors and examples from the description.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placeholderUrl } from '../server/src/platform/compose/content.ts'
import { petShop } from '../server/src/shop/index.ts'
import { buildOpenapi } from '../server/src/surfaces/description/openapi.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  operationsIn,
  readDocument,
} from '../server/src/surfaces/pages/reference/document.ts'
import { codesOf, commonCodes } from '../server/src/surfaces/pages/reference/responses.ts'
import { samplesOf } from '../server/src/surfaces/pages/reference/samples.ts'

const sdk = join(import.meta.dir, '../sdk')
export const methodsFile = join(sdk, 'METHODS.md')

export async function methodsPage(): Promise<string> {
  const document = readDocument(buildOpenapi(petShop, placeholderUrl))
  const operations = operationsIn(document)
  const common = commonCodes(document, operations, { shop: petShop })
  const signatureOf = await readSignatures()
  const groups = Map.groupBy(operations, (operation) => callOf(operation).replace(/\.\w+$/, ''))
  const sections = [...groups].map(([group, methods]) => {
    const texts = methods.map((operation) => methodText(document, operation, common, signatureOf(callOf(operation))))
    return `## ${group}\n\n${texts.join('\n')}`
  })
  return `# Methods of @petstore/sdk

Look up what a method takes, returns and throws.

The examples continue from \`const petstore = new PetStore()\`. A \`List\` loads its pages on demand, and a \`Tagged\` result can be passed as \`ifMatch\`: see
[the introduction](README.md). Every method can throw ${common.map((code) => `\`${code}\``).join(', ')}, and the errors of the client itself. Each
method below lists what it throws in addition. Types have the fields of the service's OpenAPI document.

${sections.join('\n')}`
}

const callOf = ({ 'x-sdk-call': call = '' }: DescribedOperation): string => call

function methodText(
  document: ApiDocument,
  operation: DescribedOperation,
  common: readonly string[],
  signature: string,
): string {
  const codes = Object.values(operation.responses).flatMap((response) => codesOf(document, response))
  const own = [...new Set(codes)].filter((code) => !common.includes(code)).map((code) => `\`${code}\``)
  const sample = samplesOf(document, operation, placeholderUrl).find(({ language }) => language === 'javascript')
  const sunset = operation['x-deprecated-sunset']
  const about = [
    `\`${operation.method} ${operation.path}\`.`,
    own.length > 0 && `Throws ${own.join(', ')}.`,
    sunset && `Deprecated: works until ${sunset}.`,
  ]
  return `### ${callOf(operation)}

${operation.summary}. ${about.filter(Boolean).join(' ')}

\`\`\`ts
${callOf(operation).replace(/\w+$/, '')}${signature}
\`\`\`

Example:

\`\`\`js
${sample?.code.split('\n})\n').at(-1)}
\`\`\`
`
}

/** Reads the signature of each method, such as `store.orders.place`, from the declarations that the compiler writes. */
async function readSignatures(): Promise<(call: string) => string> {
  const classes = await readClasses()
  return (call) => {
    const path = call.split('.')
    const method = path.pop() ?? ''
    const owner = path.reduce(
      (name, property) => new RegExp(`readonly ${property}: (\\w+);`).exec(classes.get(name) ?? '')?.[1] ?? '',
      'PetStore',
    )
    const found = new RegExp(`^    (${method}\\(.*);$`, 'm').exec(classes.get(owner) ?? '')?.[1]
    if (found === undefined) throw new Error(`The SDK has no method ${call}.`)
    // The names of destructured options are of no use to a caller.
    return found.replace(/\{ [^}]* \}\?:/, 'options?:')
  }
}

/** The declarations of the SDK's classes by their names. */
async function readClasses(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-declarations-'))
  try {
    const flags = [
      '--noEmit',
      'false',
      '--declaration',
      '--emitDeclarationOnly',
      '--rootDir',
      join(sdk, 'src'),
      '--outDir',
      folder,
    ]
    const tsc = join(import.meta.dir, '../node_modules/typescript/bin/tsc')
    const compiler = Bun.spawn([process.execPath, tsc, '-p', sdk, ...flags], { stdin: 'ignore', stdout: 'pipe' })
    const output = await compiler.stdout.text()
    if ((await compiler.exited) !== 0) throw new Error(output)
    const texts = (readdirSync(folder, { recursive: true }) as string[])
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
    const found = texts.flatMap((text) => [...text.matchAll(/^export declare class (\w+)[^{]*\{\n(.*?)^\}/gms)])
    return new Map(found.map(([, name = '', body = '']) => [name, body]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await Bun.write(methodsFile, await methodsPage())
