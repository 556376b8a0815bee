/** `default`: as installed; `recommended`: as its documentation shows for retries or for safe repeats. */
export const settings = ['default', 'recommended'] as const
export type Setting = (typeof settings)[number]

/**
 * What is done to the calls of a client. `lost`: the response to a change is lost; `limited`: a read gets 429 with `Retry-After: 2`;
 * `unavailable`: a read gets 503 three times.
 */
export const scenarios = ['lost', 'limited', 'unavailable'] as const
export type Scenario = (typeof scenarios)[number]

/** The rule that each scenario is about. */
export const ruleOf: Readonly<Record<Scenario, string>> = {
  lost: 'repeats',
  limited: 'retry-after',
  unavailable: 'back-off',
}

/** The service that a client calls through the proxy. */
export interface Upstream {
  readonly url: string
  /** What the client needs besides JUDGE_URL. */
  readonly env?: Readonly<Record<string, string>>
  /** How often the change of the scenario `lost` was made. */
  changes(): Promise<number>
  stop(): Promise<void>
}

/** A client of others, or our own, and how it is examined. */
export interface Client {
  /** Also the name of its files. */
  readonly name: string
  /** What was installed: packages of npm (in package.json) or of Debian. */
  readonly packages: readonly string[]
  readonly source: 'npm' | 'Debian' | 'here'
  /** What the settings are, in words. Without `recommended`, the documentation recommends nothing else. */
  readonly settings: Readonly<{ default: string; recommended?: string }>
  /** The API that it calls: a preset or a file. */
  readonly profile: string
  /** What is different there from the scenarios, in words. */
  readonly api?: string
  startUpstream(): Promise<Upstream>
  readonly scenarios: readonly Scenario[]
  /** The program and its arguments. */
  command(setting: Setting, scenario: Scenario): readonly string[]
  /** What this machine lacks to run it. */
  missing(): string | undefined
}

/** The settings that a client is examined with. */
export const settingsOf = (client: Client): Setting[] =>
  settings.filter((setting) => client.settings[setting] !== undefined)
