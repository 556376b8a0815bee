import { grouped } from '../../lib/text.ts'
import { type Html, html } from '../html.ts'
import { inlineMarkdown } from '../markdown.ts'
import { type ApiDocument, type Parameter, resolve, type Schema, wholeShape } from './document.ts'

interface Field {
  readonly name: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

const depthMax = 4

/** The fields of a shape, those of shapes inside it with the way to them in front: `ban.until`, `[].name`. */
export function fieldsOf(document: ApiDocument, schema: Schema, prefix = '', depth = 0): Field[] {
  const shape = wholeShape(document, schema)
  if (depth > depthMax) return []
  if (shape.type === 'array' && shape.items) return fieldsOf(document, shape.items, `${prefix}[]`, depth + 1)
  return Object.entries(shape.properties ?? {}).flatMap(([key, property]) => {
    const inner = wholeShape(document, property)
    const name = prefix === '' ? key : `${prefix}.${key}`
    const required = shape.required?.includes(key) ?? false
    const field = { name, required, description: property.description ?? inner.description ?? '', schema: inner }
    return [field, ...fieldsOf(document, inner, name, depth + 1)]
  })
}

export const fieldTable = (document: ApiDocument, schema: Schema): Html => list(document, fieldsOf(document, schema))

export function parameterTable(document: ApiDocument, parameters: readonly Parameter[]): Html {
  return list(
    document,
    parameters.map(({ name, required, description = '', schema }) => ({ name, required, description, schema })),
  )
}

const list = (document: ApiDocument, fields: readonly Field[]): Html => html`<dl class="fields">
${fields.map(
  ({ name, required, description, schema }) => html`<div>
<dt><code>${name}</code> <span class="type">${typeOf(document, schema)}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${inlineMarkdown(description)}${bounds(document, resolve(document, schema))}</dd>
</div>`,
)}
</dl>`

function typeOf(document: ApiDocument, schema: Schema): string {
  const shape = resolve(document, schema)
  const nullable = shape.nullable ? ' or null' : ''
  if (shape.type === 'array' && shape.items) return `array of ${typeOf(document, shape.items)}${nullable}`
  const format = shape.format === undefined ? '' : ` (${shape.format})`
  return `${shape.type ?? 'any'}${format}${nullable}`
}

function bounds(document: ApiDocument, shape: Schema): Html | undefined {
  const values = shape.enum ?? (shape.items && resolve(document, shape.items).enum)
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least !== undefined && most !== undefined) return `${grouped(least)} to ${grouped(most)}${unit}`
    if (most !== undefined) return `at most ${grouped(most)}${unit}`
    return least === undefined ? undefined : `at least ${grouped(least)}${unit}`
  }
  const notes = [
    range(shape.minimum, shape.maximum, ''),
    range(shape.minLength, shape.maxLength, ' characters'),
    range(shape.minItems, shape.maxItems, ' items'),
  ].filter((note) => note !== undefined)
  if (values)
    return html` <span class="bounds">One of ${values.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)}.</span>`
  return notes.length === 0 ? undefined : html` <span class="bounds">${notes.join('; ')}</span>`
}
