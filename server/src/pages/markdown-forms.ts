import { errorCatalogue } from '../api/errors.ts'
import { filled, guides } from './guides.ts'
import type { Place } from './layout.ts'
import type { ApiDocument } from './reference/document.ts'

// The pages in Markdown. Links lead to pages that are Markdown too.

type Guide = (typeof guides)[number]

/** Links between our own pages, as whole addresses of their Markdown forms. */
export const withLinks = (text: string, { baseUrl }: Place): string =>
  text
    .replace(
      /\]\(\/((?:docs|errors)(?:\/[\w/-]+)?)(#[\w.-]+)?\)/g,
      (_, path: string, anchor = '') => `](${baseUrl}/${path}.md${anchor})`,
    )
    .replace(/\]\(\/(?=[\w-])/g, `](${baseUrl}/`)

export function guideMarkdown(place: Place, guide: Guide, values: Readonly<Record<string, string>>): string {
  const { title, summary, text } = guide
  return withLinks(`# ${title}\n\n${summary}\n\n${filled(text, values)}`, place)
}

export const guidesMarkdown = (place: Place): string =>
  withLinks(
    `# Guides\n\n${guides.map(({ name, title, summary }) => `- [${title}](/docs/guides/${name}): ${summary}`).join('\n')}\n`,
    place,
  )

export function errorsMarkdown(place: Place): string {
  const codes = Object.entries(errorCatalogue as Record<string, { status: number; title: string; advice: string }>)
  const entries = codes
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, title, advice }]) => `## ${code}\n\nStatus ${status}. ${title} ${advice}\n`)
  const opening =
    'Every error answer has `code`, `message`, `status`, `requestId` and `docs`. Programs should read `code`. More in the guide [Errors](/docs/guides/errors).'
  return withLinks(`# Errors\n\n${opening}\n\n${entries.join('\n')}`, place)
}

/** What the guides take from the code, with drawings as Mermaid or words. */
export function markdownValues(
  values: Readonly<Record<string, string>>,
  { info }: ApiDocument,
): Record<string, string> {
  const statusDiagram = /```mermaid\n[\s\S]*?\n```/.exec(info.description)?.[0] ?? ''
  const orderDiagram = /aria-label="([^"]*)"/.exec(values.orderDiagram ?? '')?.[1] ?? ''
  return { ...values, statusDiagram, orderDiagram }
}
