import type { ErrorKind } from '../../platform/api/errors.ts'
import { fillTemplate, type Guide } from './guides.ts'
import { slug } from './markdown.ts'
import {
  type ApiDocument,
  type DescribedOperation,
  headersIn,
  itemOf,
  nameOf,
  operationsIn,
} from './reference/document.ts'
import { type Field, fieldId, fieldsOf, parametersAsFields } from './reference/fields.ts'
import { headerId, isSuccess, mediaOf } from './reference/responses.ts'

interface SearchItem {
  readonly kind: 'operation' | 'field' | 'header' | 'error' | 'guide'
  readonly title: string
  readonly about: string
  readonly path: string
  /** Further search words. */
  readonly words?: string
}

/** The search index of all pages, small enough to search in the browser. */
export function searchIndex(
  document: ApiDocument,
  errors: readonly ErrorKind[],
  guides: readonly Guide[],
  values: Readonly<Record<string, string>>,
): string {
  const operations = operationsIn(document)
  const items = [
    ...operations.map(operationItem),
    ...fieldItems(document, operations),
    ...headerItems(document),
    ...errors.map(
      ({ code, status, title, advice }): SearchItem => ({
        kind: 'error',
        title: code,
        about: `${status} · ${title.replaceAll('`', '')}`,
        path: `/errors#${code}`,
        words: advice,
      }),
    ),
    ...guides.flatMap((guide) => guideItems(guide, values)),
  ]
  return JSON.stringify(items)
}

const operationItem = (operation: DescribedOperation): SearchItem => ({
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

/** Each field once per schema, where that schema first appears; each parameter once per operation. */
function fieldItems(document: ApiDocument, operations: readonly DescribedOperation[]): SearchItem[] {
  const met = new Set<string>()
  const headers = new Map(headersIn(document))
  return operations.flatMap((operation) => {
    const { operationId, summary, body, responses, parameters } = operation
    const toItem =
      (owner: string, where: string) =>
      ({ name, description }: Field): SearchItem => ({
        kind: 'field',
        title: name,
        about: `${where} · ${summary}`,
        path: `/docs#${fieldId(owner, name)}`,
        words: description.slice(0, 60),
      })
    const inShape = (
      schema: { $ref?: string; items?: { $ref?: string } },
      owner: string,
      where: string,
    ): SearchItem[] => {
      const shape = nameOf(schema) ?? (schema.items && nameOf(schema.items)) ?? owner
      if (met.has(shape)) return []
      met.add(shape)
      return fieldsOf(document, schema).map(toItem(owner, where))
    }
    return [
      ...parametersAsFields(parameters)
        .filter(({ name }) => !headers.has(name))
        .map(toItem(operationId, 'parameter')),
      ...(body ? inShape(body.schema, `${operationId}.body`, 'body') : []),
      ...Object.entries(responses).flatMap(([status, response]) => {
        const media = isSuccess(status) ? mediaOf(document, response) : undefined
        return media ? inShape(itemOf(document, media.schema), `${operationId}.${status}`, 'response') : []
      }),
    ]
  })
}

const headerItems = (document: ApiDocument): SearchItem[] =>
  headersIn(document).map(([name, { description = '' }]) => ({
    kind: 'header',
    title: name,
    about: description.replaceAll('`', ''),
    path: `/docs#${headerId(name)}`,
  }))

/** A guide, and each of its sections with its words. */
function guideItems({ name, title, summary, text }: Guide, values: Readonly<Record<string, string>>): SearchItem[] {
  const [opening = '', ...sections] = fillTemplate(text, values).split(/^## /m)
  const path = `/docs/guides/${name}`
  return [
    { kind: 'guide', title, about: summary, path, words: extractWords(opening) },
    ...sections.map((section): SearchItem => {
      const [heading = '', ...lines] = section.split('\n')
      return {
        kind: 'guide',
        title: heading,
        about: title,
        path: `${path}#${slug(heading)}`,
        words: extractWords(lines.join(' ')),
      }
    }),
  ]
}

/** The distinct words of a text, without code blocks and markup. */
const extractWords = (text: string): string =>
  [
    ...new Set(
      text
        .replace(/```[\s\S]*?```|<svg[\s\S]*?<\/svg>|\]\([^)]*\)/g, ' ')
        .toLowerCase()
        .match(/[a-z][\w-]{2,}/g),
    ),
  ].join(' ')
