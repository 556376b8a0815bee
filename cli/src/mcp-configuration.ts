// How desktop assistants and editors are told about the program.

interface Configuration {
  /** Where the text goes. */
  readonly place: string
  readonly text: string
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)
const command = 'petstore'
const servers = (args: readonly string[]): string => json({ mcpServers: { petstore: { command, args } } })

const clients = {
  'claude-desktop': (args: readonly string[]) => ({
    place: 'Add this to claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: servers(args),
  }),
  'claude-code': (args: readonly string[]) => ({
    place: 'Run this',
    text: `claude mcp add petstore -- ${[command, ...args].join(' ')}`,
  }),
  codex: (args: readonly string[]) => ({
    place: 'Add this to ~/.codex/config.toml',
    text: `[mcp_servers.petstore]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}`,
  }),
  cursor: (args: readonly string[]) => ({ place: 'Add this to ~/.cursor/mcp.json', text: servers(args) }),
  gemini: (args: readonly string[]) => ({ place: 'Add this to ~/.gemini/settings.json', text: servers(args) }),
  vscode: (args: readonly string[]) => ({
    place: 'Add this to .vscode/mcp.json',
    text: json({ servers: { petstore: { type: 'stdio', command, args } } }),
  }),
  windsurf: (args: readonly string[]) => ({
    place: 'Add this to ~/.codeium/windsurf/mcp_config.json',
    text: servers(args),
  }),
  zed: (args: readonly string[]) => ({
    place: 'Add this to the settings of Zed',
    text: json({ context_servers: { petstore: { command, args } } }),
  }),
} satisfies Record<string, (args: readonly string[]) => Configuration>

export type AssistantName = keyof typeof clients
export const assistantNames = Object.keys(clients) as AssistantName[]

/** The configuration with which a client runs the program with these arguments. */
export const configurationFor = (name: AssistantName, args: readonly string[]): Configuration => clients[name](args)
