import { formatNumber } from '../../../platform/lib/text.ts'
import { type Html, html } from '../html.ts'
import { inlineMarkdown } from '../markdown.ts'
import { type ApiDocument, nameOf, type Parameter, resolve, type Schema, wholeShape } from './document.ts'

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

const depthMax = 4

/** The fields of a schema; nested ones are prefixed with their path: `ban.until`, `[].name`. */
export function fieldsOf(document: ApiDocument, schema: Schema, prefix = '', depth = 0): Field[] {
  const shape = wholeShape(document, schema)
  if (depth > depthMax) return []
  if (shape.type === 'array' && shape.items) return fieldsOf(document, shape.items, `${prefix}[]`, depth + 1)
  if (shape.oneOf) return fieldsOfOneOf(document, shape.oneOf, prefix, depth)
  return Object.entries(shape.properties ?? {}).flatMap(([key, property]) => {
    const inner = wholeShape(document, property)
    const name = prefix === '' ? key : `${prefix}.${key}`
    const required = shape.required?.includes(key) ?? false
    const field = { name, required, description: property.description ?? inner.description ?? '', schema: inner }
    return [field, ...fieldsOf(document, inner, name, depth + 1)]
  })
}

/** The fields of a `oneOf`: shared fields first, then those of each schema, prefixed with its name. */
function fieldsOfOneOf(document: ApiDocument, shapes: readonly Schema[], prefix: string, depth: number): Field[] {
  const all = shapes.map((shape) => ({ shape: nameOf(shape), fields: fieldsOf(document, shape, prefix, depth + 1) }))
  const [first] = all
  const same = (a: Field, b: Field) => a.name === b.name && JSON.stringify(a.schema) === JSON.stringify(b.schema)
  const shared = (first?.fields ?? []).filter((field) =>
    all.every(({ fields }) => fields.some((other) => same(field, other))),
  )
  const own = all.flatMap(({ shape, fields }) =>
    fields
      .filter((field) => !shared.some((other) => same(field, other)))
      .map((field) => (shape === undefined ? field : { ...field, name: `${shape}: ${field.name}` })),
  )
  return [...shared, ...own]
}

/** The anchor of a field: the operation or response, then the field's name. */
export const fieldId = (owner: string, name: string): string => `${owner}.${name.replace(/[^\w.-]+/g, '')}`

export const fieldTable = (document: ApiDocument, schema: Schema, owner: string): Html =>
  list(document, fieldsOf(document, schema), owner)

export const parameterTable = (document: ApiDocument, parameters: readonly Parameter[], owner: string): Html =>
  list(document, parametersAsFields(parameters), owner)

export const parametersAsFields = (parameters: readonly Parameter[]): Field[] =>
  parameters.map(({ name, required = false, description = '', schema }) => ({ name, required, description, schema }))

const list = (document: ApiDocument, fields: readonly Field[], owner: string): Html => html`<dl class="fields">
${fields.map(
  ({ name, required, description, schema }) => html`<div id="${fieldId(owner, name)}">
<dt><a class="anchor" href="#${fieldId(owner, name)}"><code>${name}</code></a> <span class="type">${typeOf(document, schema)}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${inlineMarkdown(description)}${bounds(document, resolve(document, schema))}</dd>
</div>`,
)}
</dl>`

export function typeOf(document: ApiDocument, schema: Schema): string {
  const shape = resolve(document, schema)
  const nullable = shape.nullable ? ' or null' : ''
  if (shape.type === 'array' && shape.items) return `array of ${typeOf(document, shape.items)}${nullable}`
  if (shape.oneOf)
    return `one of ${shape.oneOf.map((each) => nameOf(each) ?? typeOf(document, each)).join(', ')}${nullable}`
  const format = shape.format === undefined ? '' : ` (${shape.format})`
  return `${shape.type ?? 'any'}${format}${nullable}`
}

/** The values of an enumeration, or of a list of them. */
export function valuesOf(document: ApiDocument, schema: Schema): readonly string[] | undefined {
  const shape = resolve(document, schema)
  return shape.enum ?? (shape.items && resolve(document, shape.items).enum)
}

/** Whether a value is written without quotes in code: a number or a boolean. */
export function isBare(document: ApiDocument, schema: Schema): boolean {
  const shape = resolve(document, schema)
  const type = shape.items ? resolve(document, shape.items).type : shape.type
  return type === 'integer' || type === 'number' || type === 'boolean'
}

function bounds(document: ApiDocument, shape: Schema): Html | undefined {
  const values = valuesOf(document, shape)
  if (values)
    return html` <span class="bounds">One of ${values.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)}.</span>`
  const notes = boundsOf(shape)
  return notes.length === 0 ? undefined : html` <span class="bounds">${notes.join('; ')}</span>`
}

export function boundsOf(shape: Schema): string[] {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least !== undefined && most !== undefined) return `${formatNumber(least)} to ${formatNumber(most)}${unit}`
    if (most !== undefined) return `at most ${formatNumber(most)}${unit}`
    return least === undefined ? undefined : `at least ${formatNumber(least)}${unit}`
  }
  return [
    range(shape.minimum, shape.maximum, ''),
    range(shape.minLength, shape.maxLength, ' characters'),
    range(shape.minItems, shape.maxItems, ' items'),
  ].filter((note) => note !== undefined)
}
