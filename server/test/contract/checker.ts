import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { repository } from '../harness/repository-files.ts'
import { closed, flattened } from './closed-schemas.ts'

// Checks responses against the description that the service serves, with a validator that shares no code with our
// definitions, and records which (operation, status, code) and which headers of each described response were seen.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is a tree of unknown depth
type Tree = any

export interface Contract {
  readonly description: Tree
  /** Checks a response to any path. */
  check(method: string, path: string, response: Head, body: unknown): void
  /** The same for a response that the request asked for: it does not count as seen, because the operation did not produce it. */
  checkChosen(method: string, path: string, response: Head, body: unknown): void
  /** Checks the body of a success that did not come over plain HTTP. */
  checkSuccess(operationId: string, body: unknown): void
  /** Checks a request to a webhook. */
  checkSent(headers: Readonly<Record<string, unknown>>, event: { readonly type: string }): void
  /** Checks a message of a stream, without the blank line that ends it. */
  checkMessage(block: string): void
  operations(): DescribedOperation[]
}

export interface DescribedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The described operation, with shared parameters and successes resolved. */
  readonly spec: Tree
  /** The example body of the description. */
  readonly exampleBody: Record<string, unknown> | Record<string, unknown>[] | undefined
}

/** Headers of HTTP itself and of CORS, which any response may have. OpenAPI describes Content-Type with the body. */
const transportHeaders = /^(date|content-length|content-type|connection|transfer-encoding|access-control-.*)$/

/** Headers of errors where there is no operation, by status. */
const outsideHeaders: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
}

/** Paths with their own form of errors: those of JSON-RPC, and the state of the node. */
const otherErrors = ['/mcp', '/readyz']

type Head = Pick<Response, 'status' | 'headers'>
const typeOf = ({ headers }: Head): string => headers.get('content-type')?.split(';')[0] ?? ''

const contracts = new Map<string, Contract>()
let newestTag = ''

/** The contract of a service. Services with the same description share one, because its validators are slow to compile. */
export async function loadContract(url: string): Promise<Contract> {
  const response = await fetch(`${url}/openapi.json`, { headers: { 'If-None-Match': newestTag } })
  const tag = response.headers.get('etag') as string
  const contract = contracts.get(tag) ?? createContract(await response.json())
  contracts.set(tag, contract)
  newestTag = tag
  return contract
}

let committed: Contract | undefined

/** The contract of the committed description, for services that run as processes and may be unreachable. */
export function committedContract(): Contract {
  committed ??= createContract(JSON.parse(readFileSync(join(repository, 'openapi.json'), 'utf8')))
  return committed
}

function createContract(description: Tree): Contract {
  const resolve = (node: Tree): Tree =>
    node?.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Tree, step: string) => at[step], description)
      : node
  const exampleOf = (schema: Tree): Tree =>
    schema.type === 'array' ? [exampleOf(schema.items)] : resolve(schema).example
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
  const schemas = flattened(description.components.schemas)
  ajv.addSchema(closed({ components: { schemas } }), 'description')

  const withSuccesses = (responses: Tree): Tree =>
    Object.fromEntries(Object.entries<Tree>(responses).map(([status, it]) => [status, status < '3' ? resolve(it) : it]))

  const operations: DescribedOperation[] = []
  for (const [path, methods] of Object.entries<Tree>(description.paths)) {
    for (const [method, spec] of Object.entries<Tree>(methods)) {
      const media = spec.requestBody?.content['application/json']
      operations.push({
        id: spec.operationId,
        method: method.toUpperCase(),
        path,
        spec: { ...spec, parameters: spec.parameters.map(resolve), responses: withSuccesses(spec.responses) },
        exampleBody: media && (media.example ?? exampleOf(media.schema)),
      })
    }
  }
  // Paths without parameters first, like the router.
  const patterns = operations
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)
    .map((operation) => ({
      operation,
      pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }))
  const validators = new Map<string, ValidateFunction>()
  const seen = new Set<string>()

  function validatorOf(key: string, schema: Tree): ValidateFunction {
    let validator = validators.get(key)
    if (!validator) {
      validator = ajv.compile(JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"description#/')))
      validators.set(key, validator)
    }
    return validator
  }

  function validate(where: string, key: string, schema: Tree, value: unknown): void {
    const isValid = validatorOf(key, schema)
    if (!isValid(value)) throw new Error(`${where}: ${ajv.errorsText(isValid.errors)} in ${JSON.stringify(value)}`)
  }

  function checkBody(where: string, content: Tree, response: Head, body: unknown): void {
    const type = typeOf(response)
    if (!content) {
      if (body !== undefined) throw new Error(`${where}: a body where none is described`)
      return
    }
    const media = content[type]
    if (!media) throw new Error(`${where}: content type ${type} is not described`)
    // A stream has no end; the tests of streams read its content.
    if (type === 'text/event-stream') return
    validate(where, `${where} ${type}`, media.schema, body)
  }

  /** The code of an error, whose status must be that of the response. */
  function codeOf(where: string, response: Head, body: unknown): string {
    const { code, status } = body as { code: string; status: number }
    if (status !== response.status) throw new Error(`${where}: the error says ${status}`)
    return code
  }

  /** An error where there is no operation has the usual format and headers. Pages are for browsers, and have their own. */
  function checkOutside(method: string, pathname: string, response: Head, body: unknown): string[] {
    if (response.status < 400 || otherErrors.includes(pathname) || typeOf(response) === 'text/html') return []
    const where = `outside ${response.status}`
    const { headers, content } = description.components.responses.OtherError
    const { Allow: _, ...common } = headers
    const own = outsideHeaders[response.status]
    checkHeaders(where, { ...common, ...(own && { [own]: { required: true, schema: {} } }) }, response)
    if (method === 'HEAD') return []
    checkBody(where, content, response, body)
    return [`${where} ${codeOf(where, response, body)}`, ...headersSeen('OtherError', headers, response)]
  }

  function checkHeaders(where: string, headers: Tree, response: Head): void {
    const described = new Map(
      Object.entries<Tree>(headers ?? {}).map(([name, header]) => [name.toLowerCase(), resolve(header)]),
    )
    for (const [name, header] of described) {
      const value = response.headers.get(name)
      if (value === null && header.required) throw new Error(`${where}: the header ${name} is missing`)
      if (value !== null && header.schema.type === 'integer' && !/^\d+$/.test(value)) {
        throw new Error(`${where}: the header ${name} is ${value}`)
      }
    }
    for (const name of response.headers.keys()) {
      const isExpected = described.has(name) || transportHeaders.test(name)
      if (!isExpected) throw new Error(`${where}: the header ${name} is not described`)
    }
  }

  const headersSeen = (where: string, headers: Tree, response: Head): string[] =>
    Object.keys(headers)
      .filter((name) => response.headers.has(name))
      .map((name) => `${where}, header ${name}`)

  return {
    description,
    operations: () => operations,
    checkSuccess(operationId, body) {
      const { responses } = operations.find(({ id }) => id === operationId)?.spec ?? {}
      const [status = ''] = Object.keys(responses)
      const schema = resolve(responses[status]).content?.['application/json'].schema
      validate(operationId, `${operationId} ${status} application/json`, schema ?? { not: {} }, body)
    },
    checkSent(headers, event) {
      const where = `the callback ${event.type}`
      const callback: Tree = Object.values(resolve(description.paths['/webhooks'].post.callbacks[event.type]) ?? {})[0]
      if (!callback) throw new Error(`${where} is not described`)
      for (const { name } of callback.post.parameters.map(resolve)) {
        if (typeof headers[name] !== 'string') throw new Error(`${where}: the header ${name} is missing`)
      }
      validate(where, where, callback.post.requestBody.content['application/json'].schema, event)
      note(`callback ${event.type}`)
    },
    checkMessage(block) {
      const lines = block.split('\n').filter((line) => !line.startsWith(':'))
      const fields = Object.fromEntries(lines.map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? ['?', line]))
      const { id, data, retry: _, ...others } = fields
      if (Object.keys(others).length > 0) throw new Error(`a stream: ${JSON.stringify(others)} is not described`)
      if (data === undefined) return
      const event = JSON.parse(data)
      // By its type: trying every shape would take six times as long.
      const $ref = description.components.schemas.Event.discriminator.mapping[event.type]
      if ($ref === undefined) throw new Error(`a stream: the event ${event.type} is not described`)
      validate('a stream', $ref, { $ref }, event)
      if (event.id !== id) throw new Error(`a stream: the message ${id} has the event ${event.id}`)
      note(`message ${event.type}`)
    },
    check: (method, path, response, body) => checkResponse(method, path, response, body).forEach(note),
    checkChosen: (method, path, response, body) => void checkResponse(method, path, response, body),
  }

  /** Returns what was seen. */
  function checkResponse(method: string, path: string, response: Head, body: unknown): string[] {
    const pathname = new URL(path, 'http://petstore.test').pathname
    const wanted = method === 'HEAD' ? 'GET' : method
    const operation = patterns.find(
      ({ operation, pattern }) => operation.method === wanted && pattern.test(pathname),
    )?.operation
    if (!operation) return checkOutside(method, pathname, response, body)
    const where = `${operation.id} ${response.status}`
    const described = resolve(operation.spec.responses[response.status])
    if (!described) throw new Error(`${where}: this status is not described (${JSON.stringify(body)})`)
    checkHeaders(where, described.headers, response)
    if (method === 'HEAD') return []
    checkBody(where, described.content, response, body)
    const headers = headersSeen(where, described.headers, response)
    if (response.status < 400) return [where, ...headers]
    const code = codeOf(where, response, body)
    if (!(code in described.content['application/json'].examples))
      throw new Error(`${where}: the code ${code} is not described`)
    return [`${where} ${code}`, ...headers]
  }

  function note(what: string): void {
    if (seen.has(what)) return
    seen.add(what)
    const file = process.env.CONTRACT_SEEN
    if (file) appendFileSync(file, `${what}\n`)
  }
}
