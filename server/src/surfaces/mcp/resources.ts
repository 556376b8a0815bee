import type { RunnableTool } from './run-tools.ts'

/** A page of the documentation, in Markdown. */
export interface Document {
  readonly path: string
  readonly title: string
  readonly summary: string
  readonly markdown: () => string
}

const markdownType = 'text/markdown'
const jsonType = 'application/json'

/** The documentation as resources, by their addresses on the web. */
export function createDocuments(documents: readonly Document[], baseUrl: string) {
  const byUri = new Map(documents.map((document) => [`${baseUrl}${document.path}.md`, document]))
  return {
    list: [...byUri].map(([uri, { path, title, summary }]) => ({
      uri,
      name: path.slice(1),
      title,
      description: summary,
      mimeType: markdownType,
    })),
    read(uri: string) {
      const text = byUri.get(uri)?.markdown()
      return text === undefined ? undefined : { contents: [{ uri, mimeType: markdownType, text }] }
    },
  }
}

/** What tools read by one id, as resource templates. */
export function createTemplates(service: string, tools: readonly RunnableTool[]) {
  const scheme = `${service}:/`
  const templates = tools
    .filter(({ route: { operation } }) => operation.method === 'get' && operation.etag && operation.params)
    .map((tool) => {
      const { path, summary, description } = tool.route.operation
      const [before = '', name = '', after = ''] = path.split(/\{(\w+)\}/)
      const shape = new RegExp(`^${RegExp.escape(scheme + before)}([^/]+)${RegExp.escape(after)}$`)
      const entry = { uriTemplate: scheme + path, name: tool.definition.name, title: summary, description }
      return { tool, name, shape, entry: { ...entry, mimeType: jsonType } }
    })
  return {
    templates,
    /** The tool that reads this address, with its arguments. */
    find(uri: string): { tool: RunnableTool; given: Record<string, string> } | undefined {
      for (const { tool, name, shape } of templates) {
        const id = shape.exec(uri)?.[1]
        if (id !== undefined) return { tool, given: { [name]: id } }
      }
      return undefined
    },
  }
}
