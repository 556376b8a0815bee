import { errorCatalogue } from '../../platform/api/errors.ts'
import { type Guide, guideTree } from './guide-tree.ts'
import { fillTemplate } from './guides.ts'
import type { Site } from './layout.ts'
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

export function guidesMarkdown(site: Site): string {
  const parts = guideTree.map(({ title, links, guides }) => {
    const pages = [...links, ...guides.map((guide) => ({ ...guide, path: `/docs/guides/${guide.name}` }))]
    return `## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.path}): ${page.summary}`).join('\n')}\n`
  })
  return withLinks(`# Guides\n\n${parts.join('\n')}`, site)
}

export function errorsMarkdown(site: Site): string {
  const codes = Object.entries(errorCatalogue as Record<string, { status: number; title: string; advice: string }>)
  const entries = codes
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, title, advice }]) => `## ${code}\n\nStatus ${status}. ${title} ${advice}\n`)
  const opening =
    'Every error has `code`, `message`, `status`, `requestId` and `docs`. Programs should act on `code`. See the [Errors](/docs/guides/errors) guide.'
  return withLinks(`# Errors\n\n${opening}\n\n${entries.join('\n')}`, site)
}

/** The guide values for Markdown: the diagram of the status becomes Mermaid, the others become the text that describes them. */
export function markdownValues(
  values: Readonly<Record<string, string>>,
  { info }: ApiDocument,
): Record<string, string> {
  const statusDiagram = /```mermaid\n[\s\S]*?\n```/.exec(info.description)?.[0] ?? ''
  const described = Object.entries(values).map(([name, value]) => [
    name,
    /^<svg[^>]* aria-label="([^"]*)"/.exec(value)?.[1] ?? value,
  ])
  return { ...Object.fromEntries(described), statusDiagram }
}
