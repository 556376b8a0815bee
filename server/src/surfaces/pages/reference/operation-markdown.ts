import type { Site } from '../layout.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  type DescribedResponse,
  itemOf,
  nameOf,
  resolve,
  type Schema,
} from './document.ts'
import { boundsOf, type Field, fieldsOf, parametersAsFields, typeOf, valuesOf } from './fields.ts'
import { codesOf, headerId, isCommonHeader, isSuccess, mediaOf, titleOf } from './responses.ts'
import { samplesOf } from './samples.ts'

export const anchor = (id: string): string => `<a id="${id}"></a>`

export const schemaId = (name: string): string => `schema-${name}`

/** One operation of the reference in Markdown. */
export function operationMarkdown(
  document: ApiDocument,
  operation: DescribedOperation,
  common: readonly string[],
  site: Site,
): string {
  const { operationId, method, path, summary, description, parameters, body, responses } = operation
  const samples = samplesOf(document, operation, site.baseUrl)
  const sunset = operation['x-deprecated-sunset'] && `Deprecated: available until ${operation['x-deprecated-sunset']}.`
  const own = Object.entries(responses).flatMap(([status, response]) =>
    codesOf(document, response)
      .filter((code) => !common.includes(code))
      .map((code) => `- ${status} [\`${code}\`](/errors#${code}): ${titleOf(site, code)}`),
  )
  return [
    anchor(operationId),
    `#### ${summary}`,
    `\`${method} ${path}\``,
    [description, sunset].filter(Boolean).join('\n\n'),
    parameters.length > 0 && `**Parameters**\n\n${fieldList(document, parametersAsFields(parameters))}`,
    body && `**Body**\n\n${fieldList(document, fieldsOf(document, body.schema))}`,
    ...Object.entries(responses)
      .filter(([status]) => isSuccess(status))
      .map(([status, response]) => successMarkdown(document, status, resolve(document, response))),
    '**Errors**',
    own.join('\n'),
    'And the [common errors](#errors).',
    ...samples.map(({ language, code }) => `\`\`\`${language === 'curl' ? 'bash' : language}\n${code}\n\`\`\``),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')
}

function successMarkdown(document: ApiDocument, status: string, response: DescribedResponse): string {
  const media = mediaOf(document, response)
  const headers = Object.keys(response.headers ?? {})
    .filter((name) => !isCommonHeader(name))
    .map((name) => `[\`${name}\`](#${headerId(name)})`)
  return [
    `**${status}** ${response.description}`,
    headers.length > 0 && `Headers: ${headers.join(', ')}.`,
    media && bodyFields(document, media.schema),
    media?.example !== undefined && `\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** A named schema is described once, below; any other where it is used. */
function bodyFields(document: ApiDocument, schema: Schema): string | undefined {
  const item = itemOf(document, schema)
  const name = nameOf(item)
  if (name !== undefined) return `${item === schema ? 'Fields' : 'Fields of each'}: [\`${name}\`](#${schemaId(name)}).`
  const fields = fieldsOf(document, item)
  return fields.length > 0 ? fieldList(document, fields) : undefined
}

export const fieldList = (document: ApiDocument, fields: readonly Field[]): string =>
  fields
    .map(({ name, required, description, schema }) => {
      const values = valuesOf(document, schema)
      const bounds = values ? [`one of ${values.join(', ')}`] : boundsOf(resolve(document, schema))
      const notes = [typeOf(document, schema), ...(required ? ['required'] : []), ...bounds].join('; ')
      return `- \`${name}\` (${notes})${description && `: ${description}`}`
    })
    .join('\n')
