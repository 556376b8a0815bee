import { signal } from '@preact/signals'
import { baseUrl } from './base-url.ts'
import { wordsFor } from './words.ts'

// Fields, bounds and choices of every form come from the OpenAPI description, as do labels and help unless words.ts has better ones.

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly nullable?: boolean
  readonly default?: unknown
}

interface Description {
  readonly info: { readonly version: string }
  readonly components: { readonly schemas: Record<string, Schema> }
}

const description = signal<Description | undefined>()

export async function loadDescription(): Promise<void> {
  if (description.value) return
  description.value = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Description
}

type Kind = 'text' | 'paragraph' | 'integer' | 'flag' | 'choice' | 'choices' | 'time' | 'group'

export interface Field {
  readonly name: string
  readonly label: string
  readonly kind: Kind
  readonly required: boolean
  readonly nullable: boolean
  readonly help: string
  /** What to do if it is missing. */
  readonly needed?: string
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly maxLength?: number | undefined
  readonly choices: readonly string[]
  readonly fields: readonly Field[]
  /** The usual amounts of a number, to choose from. */
  readonly amounts?: readonly (readonly [value: number, text: string])[]
  readonly initial?: unknown
}

function resolve(schema: Schema): Schema {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return resolve(description.value?.components.schemas[name] ?? {})
  }
  if (!schema.allOf) return schema
  const parts = schema.allOf.map(resolve)
  return Object.assign({}, ...parts, schema, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  })
}

const paragraphFrom = 500

function kindOf({ type, format, enum: choices, maxLength = 0 }: Schema): Kind {
  if (choices) return 'choice'
  if (type === 'integer') return 'integer'
  if (type === 'boolean') return 'flag'
  if (type === 'array') return 'choices'
  if (type === 'object') return 'group'
  if (format === 'date-time') return 'time'
  return maxLength >= paragraphFrom && format === undefined ? 'paragraph' : 'text'
}

/** The fields of a named schema. */
export const fieldsOf = (name: string): Field[] =>
  fieldsIn(resolve({ $ref: `/${name}` })).map((field) => ({ ...field, ...wordsFor(name, field.name) }))

function fieldsIn({ properties = {}, required = [] }: Schema): Field[] {
  // The choices of an open list are in a separate schema.
  const listed: Record<string, readonly string[]> = {
    events: choicesOf('EventFilter').toSorted(
      (one, other) => Number(!one.endsWith('*')) - Number(!other.endsWith('*')),
    ),
  }
  return Object.entries(properties).map(([name, given]) => {
    const schema = resolve(given)
    return {
      name,
      label: labelOf(name),
      kind: kindOf(schema),
      required: required.includes(name),
      nullable: schema.nullable === true,
      help: given.description ?? schema.description ?? '',
      min: schema.minimum,
      max: schema.maximum,
      maxLength: schema.maxLength,
      choices: schema.enum ?? resolve(schema.items ?? {}).enum ?? listed[name] ?? [],
      fields: schema.type === 'object' ? fieldsIn(schema) : [],
      initial: schema.default,
    }
  })
}

export const choicesOf = (name: string): readonly string[] => resolve({ $ref: `/${name}` }).enum ?? []

/** What each choice means, if the description lists it as `- \`choice\`: meaning`. */
export function meaningsOf(name: string): Map<string, string> {
  const { description: text = '' } = resolve({ $ref: `/${name}` })
  return new Map([...text.matchAll(/^- `([^`]+)`: (.*)$/gm)].map(([, choice = '', meaning = '']) => [choice, meaning]))
}

/** `categoryId` → Category, `shipDate` → Ship date. */
export function labelOf(name: string): string {
  if (name === 'url') return 'URL'
  const words = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
