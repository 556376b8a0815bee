import type { Site } from '../layout.ts'
import { withLinks } from '../markdown-forms.ts'
import { type ApiDocument, type DescribedOperation, headersIn, itemOf, nameOf, operationsIn } from './document.ts'
import { fieldsOf } from './fields.ts'
import { anchor, fieldList, operationMarkdown, schemaId } from './operation-markdown.ts'
import { commonCodes, headerId, isCommonHeader, isSuccess, mediaOf, titleOf } from './responses.ts'

// The whole reference in Markdown. The anchors are those of the HTML page, so a link works in both.

export function referenceMarkdown(site: Site, document: ApiDocument): string {
  const operations = operationsIn(document)
  const common = commonCodes(document, operations, site)
  const about = document.info.description.replaceAll(`](${site.baseUrl}/`, '](/')
  const descriptionOf = (name: string) => document.tags.find((tag) => tag.name === name)?.description ?? ''
  const parts = document['x-tagGroups'].flatMap(({ name, tags }) => [
    `## ${name}\n\n${descriptionOf(name)}`,
    ...tags.map((tag) => {
      const tagged = operations.filter((operation) => operation.tags.includes(tag))
      const sections = tagged.map((operation) => operationMarkdown(document, operation, common, site))
      return [`### ${tag}`, descriptionOf(tag), sections.join('\n')].join('\n\n')
    }),
  ])
  return withLinks(
    [
      `# ${site.shop.title} reference`,
      `Base URL: ${site.baseUrl}`,
      about,
      headersMarkdown(document),
      errorsMarkdown(site, document, common),
      ...parts,
      schemasMarkdown(document, operations),
    ].join('\n\n'),
    site,
  )
}

function headersMarkdown(document: ApiDocument): string {
  const all = headersIn(document)
  const list = (isShown: (name: string) => boolean) =>
    all
      .filter(([name]) => isShown(name))
      .map(([name, { description = '', example }]) => {
        const shown = example === undefined ? '' : ` Example: \`${example}\`.`
        return `- ${anchor(headerId(name))}\`${name}\`: ${description}${shown}`
      })
      .join('\n')
  return `${anchor('headers')}\n\n## Headers\n\nEvery response shows your remaining quota, whatever its status. \`Retry-After\` is sent with 429 and 503.\n\n${list(isCommonHeader)}\n\nThese are sent by some operations, which list them.\n\n${list((name) => !isCommonHeader(name))}`
}

function errorsMarkdown(site: Site, document: ApiDocument, common: readonly string[]): string {
  const fields = fieldList(document, fieldsOf(document, { $ref: '#/components/schemas/Error' }))
  const codes = common.map((code) => `- [\`${code}\`](/errors#${code}): ${titleOf(site, code)}`).join('\n')
  return `${anchor('errors')}\n\n## Common errors\n\nEvery error has this format. See the [error catalogue](/errors) for what to do about each code.\n\n${fields}\n\nNearly every operation can return these, where they apply; errors about bodies only apply to requests with a body. Other errors are listed with their operation.\n\n${codes}`
}

function schemasMarkdown(document: ApiDocument, operations: readonly DescribedOperation[]): string {
  const names = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const media = isSuccess(status) ? mediaOf(document, response) : undefined
      return (media && nameOf(itemOf(document, media.schema))) ?? []
    }),
  )
  const parts = [...new Set(names)].toSorted().map((name) => {
    const fields = fieldsOf(document, { $ref: `#/components/schemas/${name}` })
    return `${anchor(schemaId(name))}\n\n### ${name}\n\n${fieldList(document, fields)}`
  })
  return `## Response fields\n\n${parts.join('\n\n')}\n`
}
