import { fillTemplate, type Guide, type GuidePart } from './guides.ts'
import { isGuideServed, type Site } from './layout.ts'

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

export function errorsMarkdown(site: Site): string {
  const entries = site.shop.errors.map(
    ({ code, status, title, advice }) => `## ${code}\n\nStatus ${status}. ${title} ${advice}\n`,
  )
  const guide = '/docs/guides/errors'
  const see = isGuideServed(site.shop, guide) ? ` See the [Errors](${guide}) guide.` : ''
  const opening = `Every error has \`code\`, \`message\`, \`status\`, \`requestId\` and \`docs\`. Programs should act on \`code\`.${see}`
  return withLinks(`# Errors\n\n${opening}\n\n${entries.join('\n')}`, site)
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
