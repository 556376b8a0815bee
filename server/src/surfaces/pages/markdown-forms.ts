import { exampleBody, operationsReturning, statusesOf } from './error-page.ts'
import { fillTemplate, type Guide, type GuidePart } from './guides.ts'
import { isGuideServed, type Site } from './layout.ts'
import type { ApiDocument } from './reference/document.ts'

// The pages in Markdown. Their links lead to Markdown pages too.

/** Makes links between our pages absolute, and points them at the Markdown versions. */
export const withLinks = (text: string, { baseUrl }: Site): string =>
  text
    .replace(
      /\]\(\/((?:docs|errors)(?:\/[\w/-]+)?)(#[\w.-]+)?\)/g,
      (_, path: string, anchor = '') => `](${baseUrl}/${path}.md${anchor})`,
    )
    .replace(/\]\(\/(?=[\w-])/g, `](${baseUrl}/`)

export function guideMarkdown(site: Site, guide: Guide, values: Readonly<Record<string, string>>): string {
  const { title, summary, text } = guide
  return withLinks(`# ${title}\n\n${summary}\n\n${fillTemplate(text, values)}`, site)
}

export function guidesMarkdown(site: Site, tree: readonly GuidePart[]): string {
  const parts = tree.map(({ title, links, guides }) => {
    const pages = [...links, ...guides.map((guide) => ({ ...guide, path: `/docs/guides/${guide.name}` }))]
    return `## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.path}): ${page.summary}`).join('\n')}\n`
  })
  return withLinks(`# Guides\n\n${parts.join('\n')}`, site)
}

/** The error catalogue: what the HTML page has. */
export function errorsMarkdown(site: Site, document: ApiDocument): string {
  const entry = ({ code, title, advice }: Site['shop']['errors'][number]) => {
    const body = exampleBody(document, code)
    return [`### ${code}`, title, advice, returnedBy(document, code), body && `\`\`\`json\n${body}\n\`\`\``]
      .filter(Boolean)
      .join('\n\n')
  }
  const groups = statusesOf(site).map((status) =>
    [`## ${status}`, ...site.shop.errors.filter((kind) => kind.status === status).map(entry)].join('\n\n'),
  )
  const guide = '/docs/guides/handle-errors'
  const see = isGuideServed(site.shop, guide) ? ` See [Handle errors](${guide}).` : ''
  const opening = `Every error has a \`code\`, a \`message\`, the HTTP \`status\`, a \`requestId\` to quote in reports, and a link to this page in \`docs\`. Programs should act on \`code\`: messages may change, codes never do.${see}`
  return withLinks(`# Errors\n\n${opening}\n\n${groups.join('\n\n')}\n`, site)
}

function returnedBy(document: ApiDocument, code: string): string | undefined {
  const from = operationsReturning(document, code)
  if (from === 'all') return 'Returned by every operation.'
  if (from.length === 0) return undefined
  return `Returned by ${from.map(({ operationId, method, path }) => `[${method} ${path}](/docs#${operationId})`).join(', ')}.`
}

/** The guide values for Markdown: those that the shop replaces, and for diagrams the text that describes them. */
export function markdownValues(
  values: Readonly<Record<string, string>>,
  { guides }: Site['shop'],
): Record<string, string> {
  const described = Object.entries(values).map(([name, value]) => [
    name,
    /^<svg[^>]* aria-label="([^"]*)"/.exec(value)?.[1] ?? value,
  ])
  return { ...Object.fromEntries(described), ...guides?.markdownValues }
}
