/** Documents of the repository that are also guides. */
const guideOf: Readonly<Record<string, string>> = {
  'configuration.md': '/docs/guides/configuration',
  'debian.md': '/docs/guides/debian',
  'operating.md': '/docs/guides/operating',
}

/** A document of the repository as a guide: links to its other files and to other sites become text. */
export const fromRepository = (source: string, title: string): string =>
  source
    .replace(/^# .+$/m, `# ${title}`)
    .replace(/\[([^\]]+)\]\(([^)\s#]*)(#[^)\s]*)?\)/g, (_, text: string, file: string, anchor = '') => {
      const path = file === '' ? '' : guideOf[file]
      return path === undefined ? text : `[${text}](${path}${anchor})`
    })
