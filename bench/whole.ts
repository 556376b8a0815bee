// A hand-written handler plus what operators and untrusted clients require: header checks, a log line, metrics and usage for every
// request, as in this service. The remaining difference is the price of its structure.
import { writeSync } from 'node:fs'

type Handler<R extends Request> = (request: R) => Response | Promise<Response>

const boundsMs = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]
const buckets = new Map<string, number[]>()
const lastMinute = new Map<number, number>()
const usage = new Map<string, { allowed: number; errors: number }>()
let pending = ''
let timer: ReturnType<typeof setTimeout> | undefined
let lastMs = Number.NaN
let lastIso = ''

function flush(): void {
  clearTimeout(timer)
  timer = undefined
  writeSync(2, pending)
  pending = ''
}

/** Why a request is rejected because of its headers. */
function faultOf({ url, headers }: Request): number | undefined {
  if (url.length > 8_192) return 414
  let bytes = 0
  headers.forEach((value, name) => {
    bytes += name.length + value.length + 4
  })
  if (bytes > 16_384) return 431
  const accept = headers.get('accept')
  if (accept !== null && !/\*\/\*|json/.test(accept)) return 406
  return headers.get('host')?.includes(',') ? 400 : undefined
}

function tell(operation: string, request: Request, response: Response, started: number): void {
  const now = Date.now()
  const ms = Math.round((performance.now() - started) * 100) / 100
  const { status } = response
  const isShort = Number(request.headers.get('content-length') ?? 0) <= 65_536
  if (!isShort && !request.bodyUsed) response.headers.set('Connection', 'close')

  const series = `${operation} ${status}`
  const counts = buckets.get(series) ?? new Array(boundsMs.length + 1).fill(0)
  buckets.set(series, counts)
  const bucket = boundsMs.findIndex((bound) => ms <= bound)
  counts[bucket < 0 ? boundsMs.length : bucket]++
  const second = Math.floor(now / 1_000)
  lastMinute.set(second, (lastMinute.get(second) ?? 0) + 1)
  const hour = `1 ${now - (now % 3_600_000)}`
  const used = usage.get(hour) ?? { allowed: 0, errors: 0 }
  usage.set(hour, used)
  used.allowed++
  if (status >= 400) used.errors++

  if (now !== lastMs) {
    lastMs = now
    lastIso = new Date(now).toISOString()
  }
  const facts = {
    requestId: response.headers.get('x-request-id'),
    method: request.method,
    operation,
    status,
    ms,
    keyId: 1,
  }
  pending += `{"time":"${lastIso}","level":"info","message":"request",${JSON.stringify(facts).slice(1)}\n`
  if (pending.length > 65_536) flush()
  else timer ??= setTimeout(flush, 100)
}

export function whole<R extends Request>(operation: string, handle: Handler<R>): Handler<R> {
  return (request) => {
    const started = performance.now()
    const fault = faultOf(request)
    const response = fault ? new Response('{"code":"bad_head"}', { status: fault }) : handle(request)
    if (response instanceof Response) {
      tell(operation, request, response, started)
      return response
    }
    return response.then((response) => {
      tell(operation, request, response, started)
      return response
    })
  }
}
