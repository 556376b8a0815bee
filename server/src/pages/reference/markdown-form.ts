import type { Site } from '../layout.ts'
import { withLinks } from '../markdown-forms.ts'
import { type ApiDocument, type DescribedOperation, operationsIn, resolve } from './document.ts'
import { boundsOf, type Field, fieldsOf, parametersAsFields, typeOf, valuesOf } from './fields.ts'
import { codesOf, commonCodes, isSuccess, mediaOf, titleOf } from './responses.ts'
import { samplesOf } from './samples.ts'

/** The whole reference in Markdown. */
export function referenceMarkdown(site: Site, document: ApiDocument): string {
  const operations = operationsIn(document)
  const common = commonCodes(document, operations)
  const about = document.info.description.replaceAll(`](${site.baseUrl}/`, '](/')
  const parts = document['x-tagGroups'].flatMap(({ tags }) =>
    tags.map((tag) => {
      const tagged = operations.filter((operation) => operation.tags.includes(tag))
      return `## ${tag}\n\n${tagged.map((operation) => operationMarkdown(document, operation, common, site)).join('\n')}`
    }),
  )
  const errors = `## Common errors\n\n${common.map((code) => `- [\`${code}\`](/errors#${code}): ${titleOf(code)}`).join('\n')}\n`
  return withLinks(
    `# Pet Store reference\n\nBase URL: ${site.baseUrl}\n\n${about}\n\n${errors}\n${parts.join('\n')}`,
    site,
  )
}

function operationMarkdown(
  document: ApiDocument,
  operation: DescribedOperation,
  common: readonly string[],
  { baseUrl }: Site,
): string {
  const { method, path, summary, description, parameters, body, responses } = operation
  const [curl] = samplesOf(document, operation, baseUrl)
  const stability = operation['x-stability'] && `Stability: ${operation['x-stability']}.`
  const sunset = operation['x-deprecated-sunset'] && `Deprecated: available until ${operation['x-deprecated-sunset']}.`
  const successes = Object.entries(responses).filter(([status]) => isSuccess(status))
  const own = Object.values(responses)
    .flatMap((answer) => codesOf(document, answer))
    .filter((code) => !common.includes(code))
  return [
    `### ${summary}`,
    `\`${method} ${path}\``,
    [description, stability, sunset].filter(Boolean).join('\n\n'),
    section('Parameters', parametersAsFields(parameters), document),
    body && section('Body', fieldsOf(document, body.schema), document),
    ...successes.map(([status, answer]) => {
      const example = mediaOf(document, answer)?.example
      const shown = example === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
      return `**${status}** ${resolve(document, answer).description}${shown}`
    }),
    own.length > 0 && `**Errors** ${own.map((code) => `[\`${code}\`](/errors#${code})`).join(', ')}`,
    `\`\`\`bash\n${curl?.code}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')
}

function section(title: string, fields: readonly Field[], document: ApiDocument): string | undefined {
  if (fields.length === 0) return undefined
  const lines = fields.map(({ name, required, description, schema }) => {
    const values = valuesOf(document, schema)
    const bounds = values ? [`one of ${values.join(', ')}`] : boundsOf(resolve(document, schema))
    const notes = [typeOf(document, schema), ...(required ? ['required'] : []), ...bounds].join('; ')
    return `- \`${name}\` (${notes}): ${description}`
  })
  return `**${title}**\n\n${lines.join('\n')}`
}
