import type { Queryable } from '../db/database.ts'

// The texts of a shop: values that the pages, the description and the endpoint for agents show.

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required?: boolean }[]
  /** The operations whose tools it uses: without them it is not offered. */
  readonly uses: readonly string[]
  /** `tool(id)` is the tool of an operation. */
  readonly text: (given: Readonly<Record<string, string>>, tool: (id: string) => string) => string
}

/** A group of guides, and pages that belong to it but are not guides. */
export interface GuideGroup {
  readonly title: string
  /** Markdown by the name of the guide. Each begins with its title and a paragraph that says what it is for. */
  readonly guides: Readonly<Record<string, string>>
  readonly links?: readonly { readonly path: string; readonly title: string; readonly summary: string }[]
}

export interface Guides {
  readonly groups: readonly GuideGroup[]
  /** Guides that were renamed or split: their links still work. */
  readonly moved: Readonly<Record<string, string>>
  /** What `{{name}}` stands for in a guide, besides the values of the platform. */
  readonly values: (baseUrl: string) => Readonly<Record<string, string>>
  /** What it stands for in the Markdown form, where that differs. */
  readonly markdownValues: Readonly<Record<string, string>>
}

/** A call that visitors can send from the home page and the reference. */
export interface FirstCall {
  /** The id of a list. */
  readonly operation: string
  /** What it returns. */
  readonly about: string
  readonly fields: readonly FirstCallField[]
}

interface FirstCallField {
  /** The query parameter. */
  readonly name: string
  readonly label: string
  readonly value: string
  /** Other values to choose from. */
  readonly options?: readonly string[]
  /** Written without quotes in samples. */
  readonly isBare?: true
}

/** A screenshot of the real product. */
export interface HomePicture {
  readonly name: string
  readonly alt: string
  /** What to know about it: a heading and a sentence. */
  readonly title: string
  readonly text: string
  readonly width: number
  readonly height: number
  /** PNG in base64, in the colours of the page. */
  readonly light: string
  readonly dark: string
}

export interface Home {
  readonly headline: string
  readonly lead: string
  /** The first is shown beside the headline. */
  readonly pictures?: readonly HomePicture[]
  /** Numbers to show: their names, and how to count them up to `max`. */
  readonly figures?: {
    readonly names: readonly string[]
    readonly count: (db: Queryable, max: number) => Promise<readonly number[]>
  }
}

export interface ShopContent {
  /** What the service is, in a sentence for search engines. */
  readonly summary: string
  /** What it is, in a line for language models and agents. */
  readonly agentSummary: string
  /** Further lines about it for language models, in Markdown. */
  readonly agentNotes?: (baseUrl: string) => readonly string[]
  /** What its tools are for, which agents are told first. */
  readonly toolSummary: string
  readonly prompts?: readonly Prompt[]
  /** The first paragraph of the description. */
  readonly introduction: string
  /** Further paragraphs of it. */
  readonly sections?: readonly string[]
  /** Mermaid diagrams of the description, with the pictures that pages show instead. */
  readonly diagrams?: readonly { readonly mermaid: string; readonly picture: string }[]
  /** The description as it was generated before, with `placeholderUrl` for the address. Generated at the first use if absent. */
  readonly description?: string
  readonly home: Home
  readonly firstCall: FirstCall
  readonly guides?: Guides
  /** Whether the console of this repository can manage it. */
  readonly hasConsole?: true
}

/** The address of the service in a stored description. */
export const placeholderUrl = 'https://petstore.example.com'
