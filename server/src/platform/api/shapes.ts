import { z } from 'zod'
import { type Id, parseInt64 } from '../lib/int64.ts'
import { lineFault, linesFault } from '../lib/text.ts'

type WireSchema = Record<string, unknown>

/** Sets the JSON Schema of a shape where zod cannot derive it. */
const onWire = <S extends z.ZodType>(schema: S, wire: WireSchema): S => schema.meta({ wire }) as S

const checkedText = (faultOf: (value: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const message = faultOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

// Written for every regular expression engine, so without Unicode properties: they miss some invisible characters.
const controls = '\\x00-\\x1f\\x7f-\\x9f'
const linePattern = `^[^${controls}]*[^\\x00-\\x20\\x7f-\\xa0][^${controls}]*$`
const linesPattern = '^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$'
const lineOnWire = (max: number) => ({ type: 'string', minLength: 1, maxLength: max, pattern: linePattern })

/** One line of 1 to `max` characters, at least one of them visible. */
export const text = (max: number) =>
  onWire(
    checkedText((value) => lineFault(value, max)),
    lineOnWire(max),
  )

/** The name of something: one line, without the spaces around it. */
export const Name = onWire(checkedText((value) => lineFault(value, 200)).trim(), lineOnWire(200))

/** Any number of lines, 0 to `max` characters in total. */
export const multiline = (max: number) =>
  onWire(
    checkedText((value) => linesFault(value, max)),
    { type: 'string', minLength: 0, maxLength: max, pattern: linesPattern },
  )

/** The JSON Schema of an id. Without bounds: any int64 is well-formed, and one that no resource has is unknown, not malformed. */
const idOnWire = { type: 'integer', format: 'int64' }

const isInt64 = (value: unknown): value is Id =>
  typeof value === 'bigint' || (Number.isInteger(value) && Number(value) >= -(2 ** 63) && Number(value) < 2 ** 63)

/** What is wrong with an id in a body. */
function bodyIdFault(value: unknown): string {
  if (value === undefined) return 'is required'
  if (Number.isNaN(value)) return 'must be a number that can be represented exactly'
  return Number.isInteger(value) ? 'must be a whole number that fits in 64 bits' : 'must be a whole number'
}

/** An id in a body: any int64, because an unknown id is 422, not 400. */
export const BodyId = onWire(
  z
    .custom<Id>(isInt64, { error: ({ input }) => bodyIdFault(input) })
    // No resource has an id from 2^53 on, and a number of that size is not exact.
    .transform((id): Id => (typeof id === 'bigint' || Number.isSafeInteger(id) ? id : BigInt(id))),
  idOnWire,
)

/** A shape of a feature that depends on the rest of the service, by its name in the description. */
export const namedShape = (name: string) => onWire(z.unknown(), { $ref: `#/components/schemas/${name}` })

export const ResponseId = onWire(z.number(), idOnWire)

/** The field that `showOrigin` fills. */
export const OriginKeyId = ResponseId.optional().meta({
  description: 'The key that made the change; only with `keys:manage`.',
})

/** An integer without a format: what the interface calls a plain integer. */
export const plainInteger = (min: number, max: number) => onWire(z.int().min(min).max(max), { type: 'integer' })

/** A number of things, in responses. */
export const Count = z.int().min(0)

/** The first time that RFC 3339 can express. */
export const firstTime = Date.parse('0000-01-01T00:00:00.000Z')
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** RFC 3339 with any offset, in upper or lower case. Parsed to milliseconds since the epoch. */
export const DateTime = onWire(
  z
    .string()
    .toUpperCase()
    .pipe(z.iso.datetime({ offset: true, message: 'must be an RFC 3339 date-time such as 2027-01-31T12:00:00Z' }))
    .transform((value) => Date.parse(value))
    // Responses are in UTC, and an offset can move a time out of the years that RFC 3339 can express.
    .refine((time) => time >= firstTime && time <= lastTime, 'must be in the years 0000 to 9999, in UTC'),
  { type: 'string', format: 'date-time' },
)

export const ResponseDateTime = onWire(z.string(), { type: 'string', format: 'date-time' })

/** Rejects a time range that ends before it starts: `shape.superRefine(ordered('from', 'to'))`. */
export const ordered =
  (from: string, to: string) =>
  (query: object, context: z.RefinementCtx): void => {
    const { [from]: first = -Infinity, [to]: end = Infinity } = query as Record<string, number | undefined>
    if (first > end) context.addIssue({ code: 'custom', path: [from], message: `must not be after ${to}` })
  }

// Parameters arrive as text; these shapes parse them.

const idParamOnWire = { ...idOnWire }

/** An id in a path or a query: any int64, because an unknown id is 404 in a path, and in a filter matches nothing. */
export const IdParam = onWire(
  z.string().transform((value, context): Id => {
    const id = parseInt64(value)
    if (id !== undefined) return id
    context.addIssue({ code: 'custom', message: 'must be a whole number that fits in 64 bits' })
    return z.NEVER
  }),
  idParamOnWire,
)

export const isIdParam = (schema: z.ZodType): boolean => schema.meta()?.wire === idParamOnWire

export function integerParam(min: number, max: number) {
  const parsed = z.string().transform((value, context) => {
    const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}` })
    return z.NEVER
  })
  return onWire(parsed, { type: 'integer', format: 'int32', minimum: min, maximum: max })
}

export const BooleanParam = onWire(
  z.enum(['true', 'false'], { message: 'must be true or false' }).transform((value) => value === 'true'),
  { type: 'boolean' },
)

/** Several values: `status=sold&status=pending`, which the description documents, `status=sold,pending` or `status[]=sold`. */
export function listParam<S extends z.ZodType>(item: S, max: number) {
  const values = z.preprocess(
    (value) => (Array.isArray(value) ? value : [value]).flatMap((text) => String(text).split(',')),
    z.array(item).min(1).max(max),
  )
  return values.meta({ list: true })
}
