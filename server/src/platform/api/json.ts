import { parseInt64 } from '../lib/int64.ts'
import { formatNumber } from '../lib/text.ts'
import { ApiError, apiErrors } from './errors.ts'
import { bodyValuesMax, nestingMax } from './sizes.ts'

/**
 * Parses JSON without rounding or dropping anything. An int64 that a double cannot represent becomes a bigint; any other such number
 * becomes NaN, which every shape rejects. A name that is given twice in an object is rejected.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw malformed('The body is empty.', 'This operation requires a JSON body.')
  const { depth, values, names, isExact } = measure(text)
  if (depth > nestingMax) {
    throw malformed(`The body is nested more than ${nestingMax} levels deep.`, 'Send less nesting.')
  }
  if (values > bodyValuesMax) {
    throw malformed(`The body has more than ${formatNumber(bodyValuesMax)} names and values.`, 'Send less per request.')
  }
  const value = parse(text, isExact)
  // Of two equal names the parser keeps one, so fewer names are left than were sent.
  if (countNames(value) < names) {
    throw malformed('The body has an object in which a name is given twice.', 'Give each name once.')
  }
  return value
}

function parse(text: string, isExact: boolean): unknown {
  try {
    return isExact ? JSON.parse(text) : JSON.parse(text, rejectRounding)
  } catch {
    throw new ApiError(apiErrors.malformed_json)
  }
}

const malformed = (what: string, advice: string) => new ApiError(apiErrors.malformed_json, what, { advice })

/** How many names the objects in a parsed value have. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countNames(item)
  else for (const name in value) count += 1 + countNames((value as Record<string, unknown>)[name])
  return count
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const numberSigns = new Set([...'.eE+-'].map((sign) => sign.charCodeAt(0)))
const isInNumber = (code: number): boolean => isDigit(code) || numberSigns.has(code)

/** Measures the text in one pass before anything is built from it, and stops at the first limit exceeded. */
function measure(text: string): { depth: number; values: number; names: number; isExact: boolean } {
  let level = 0
  let depth = 0
  let values = 1
  let names = 0
  let isExact = true
  for (let index = 0; index < text.length && depth <= nestingMax && values <= bodyValuesMax; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === comma) values++
    else if (code === colon) {
      values++
      names++
    } else if (isOpening(code)) depth = Math.max(depth, ++level)
    else if (isClosing(code)) level--
    else if (isDigit(code)) {
      const end = endOfNumber(text, index)
      isExact &&= isRepresentable(text.slice(index, end))
      index = end - 1
    }
  }
  return { depth, values, names, isExact }
}

/** The index of the closing quote of the string that starts here, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === backslash) index++
    else if (code === quote) return index
  }
  return text.length
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (isInNumber(text.charCodeAt(end))) end++
  return end
}

/** Up to 15 digits and no exponent are always exact. */
const alwaysExact = /^[\d.]{1,15}$/
const isRepresentable = (number: string): boolean =>
  alwaysExact.test(number) || canonicalDecimal(number) === canonicalDecimal(String(Number(number)))

function rejectRounding(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return canonicalDecimal(context.source) === canonicalDecimal(String(value))
    ? value
    : (parseInt64(context.source) ?? Number.NaN)
}

/** A number in canonical form: only the digits and exponent that determine its value: `-1.50e3` → `-15e2`. */
function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // Not /0+$/: it backtracks from every zero, so a long number would block the service for seconds.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const significant = digits.slice(0, end)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
