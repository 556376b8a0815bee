import { errorCatalogue } from '../api/errors.ts'
import { filled, guides } from './guides.ts'
import { slug } from './markdown.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  type Header,
  itemOf,
  nameOf,
  operationsIn,
} from './reference/document.ts'
import { type Field, fieldId, fieldsOf, parametersAsFields } from './reference/fields.ts'
import { headerId, isSuccess, mediaOf } from './reference/responses.ts'

/** Something that can be looked for. */
interface Entry {
  readonly kind: 'operation' | 'field' | 'header' | 'error' | 'guide'
  readonly title: string
  readonly about: string
  readonly path: string
  /** What else it is found by. */
  readonly words?: string
}

/** Everything the pages say, small enough to be searched in the browser. */
export function searchIndex(document: ApiDocument, values: Readonly<Record<string, string>>): string {
  const operations = operationsIn(document)
  const entries = [
    ...operations.map(operationEntry),
    ...fieldEntries(document, operations),
    ...headerEntries(document),
    ...Object.entries(errorCatalogue).map(
      ([code, { status, title, advice }]): Entry => ({
        kind: 'error',
        title: code,
        about: `${status} · ${title.replaceAll('`', '')}`,
        path: `/errors#${code}`,
        words: advice,
      }),
    ),
    ...guides.flatMap((guide) => guideEntries(guide, values)),
  ]
  return JSON.stringify(entries)
}

const operationEntry = (operation: DescribedOperation): Entry => ({
  kind: 'operation',
  title: operation.summary,
  about: `${operation.method} ${operation.path}`,
  path: `/docs#${operation.operationId}`,
  words: [
    operation.operationId,
    operation.tags.join(' '),
    operation['x-stability'],
    operation.deprecated && 'deprecated sunset',
    operation['x-required-scope'],
  ]
    .filter(Boolean)
    .join(' '),
})

/** A field once for each shape it stands in, where that shape is first met; a parameter once for each operation. */
function fieldEntries(document: ApiDocument, operations: readonly DescribedOperation[]): Entry[] {
  const met = new Set<string>()
  return operations.flatMap((operation) => {
    const { operationId, summary, body, responses, parameters } = operation
    const entry =
      (owner: string, where: string) =>
      ({ name, description }: Field): Entry => ({
        kind: 'field',
        title: name,
        about: `${where} · ${summary}`,
        path: `/docs#${fieldId(owner, name)}`,
        words: description.slice(0, 60),
      })
    const inShape = (schema: { $ref?: string; items?: { $ref?: string } }, owner: string, where: string): Entry[] => {
      const shape = nameOf(schema) ?? (schema.items && nameOf(schema.items)) ?? owner
      if (met.has(shape)) return []
      met.add(shape)
      return fieldsOf(document, schema).map(entry(owner, where))
    }
    return [
      ...parametersAsFields(parameters)
        .filter(({ name }) => !(name in (document.components.headers ?? {})))
        .map(entry(operationId, 'parameter')),
      ...(body ? inShape(body.schema, `${operationId}.body`, 'body') : []),
      ...Object.entries(responses).flatMap(([status, answer]) => {
        const media = isSuccess(status) ? mediaOf(document, answer) : undefined
        return media ? inShape(itemOf(document, media.schema), `${operationId}.${status}`, 'response') : []
      }),
    ]
  })
}

const headerEntries = (document: ApiDocument): Entry[] =>
  Object.entries(document.components.headers as Record<string, Header>).map(([name, { description = '' }]) => ({
    kind: 'header',
    title: name,
    about: description.replaceAll('`', ''),
    path: `/docs#${headerId(name)}`,
  }))

/** A guide, and each of its sections with the words in it. */
function guideEntries(
  { name, title, summary, text }: (typeof guides)[number],
  values: Readonly<Record<string, string>>,
): Entry[] {
  const [opening = '', ...sections] = filled(text, values).split(/^## /m)
  const path = `/docs/guides/${name}`
  return [
    { kind: 'guide', title, about: summary, path, words: plain(opening) },
    ...sections.map((section): Entry => {
      const [heading = '', ...lines] = section.split('\n')
      return {
        kind: 'guide',
        title: heading,
        about: title,
        path: `${path}#${slug(heading)}`,
        words: plain(lines.join(' ')),
      }
    }),
  ]
}

/** The words of a text, each once, without code blocks and markup. */
const plain = (text: string): string =>
  [
    ...new Set(
      text
        .replace(/```[\s\S]*?```|<svg[\s\S]*?<\/svg>|\]\([^)]*\)/g, ' ')
        .toLowerCase()
        .match(/[a-z][\w-]{2,}/g),
    ),
  ].join(' ')
