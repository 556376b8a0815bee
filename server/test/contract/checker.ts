import { appendFileSync } from 'node:fs'
import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

// Checks responses against the description that the service serves, with a validator that shares no code with our
// definitions, and records which (operation, status) pairs were seen.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is a tree of unknown depth
type Tree = any

export interface Contract {
  readonly description: Tree
  check(method: string, path: string, response: Response, body: unknown): void
  /** Checks the body of a success that did not come over plain HTTP. */
  checkSuccess(operationId: string, body: unknown): void
  /** Checks a request to a webhook. */
  checkSent(headers: Readonly<Record<string, unknown>>, event: { readonly type: string }): void
  operations(): DescribedOperation[]
}

export interface DescribedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The described operation, with shared parameters resolved. */
  readonly spec: Tree
  /** The example body of the description. */
  readonly exampleBody: Record<string, unknown> | Record<string, unknown>[] | undefined
}

const transportHeaders =
  /^(date|content-length|content-type|cache-control|connection|transfer-encoding|access-control-.*|ratelimit(-policy)?)$/

/** Described on the successful responses of an operation; its other responses have them too. */
const markHeaders = /^(x-stability|deprecation|sunset|link|idempotent-replayed)$/

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

  const operations: DescribedOperation[] = []
  for (const [path, methods] of Object.entries<Tree>(description.paths)) {
    for (const [method, spec] of Object.entries<Tree>(methods)) {
      const media = spec.requestBody?.content['application/json']
      operations.push({
        id: spec.operationId,
        method: method.toUpperCase(),
        path,
        spec: { ...spec, parameters: spec.parameters.map(resolve) },
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

  function checkBody(where: string, content: Tree, response: Response, body: unknown): void {
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    if (!content) {
      if (body !== undefined) throw new Error(`${where}: a body where none is described`)
      return
    }
    const media = content[type]
    if (!media) throw new Error(`${where}: content type ${type} is not described`)
    // A stream has no end; the tests of streams read its content.
    if (type === 'text/event-stream') return
    const validate = validatorOf(`${where} ${type}`, media.schema)
    if (!validate(body)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`)
  }

  /** Every response of an operation has the headers of its marks, including errors. */
  function checkMarks(where: string, spec: Tree, response: Response): void {
    const marks: [header: string, marked: boolean][] = [
      ['x-stability', spec['x-stability'] !== undefined],
      ['deprecation', spec.deprecated === true],
      ['sunset', spec.deprecated === true],
    ]
    for (const [name, marked] of marks) {
      if (response.headers.has(name) !== marked) throw new Error(`${where}: the header ${name} and its mark differ`)
    }
  }

  function checkHeaders(where: string, headers: Tree, response: Response): void {
    // The description says in text that every response has them, and lists them with 429.
    for (const name of ['ratelimit', 'ratelimit-policy']) {
      if (!response.headers.has(name)) throw new Error(`${where}: the header ${name} is missing`)
    }
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
    const isExpected = (name: string) =>
      described.has(name) || transportHeaders.test(name) || (response.status >= 300 && markHeaders.test(name))
    for (const name of response.headers.keys()) {
      if (!isExpected(name)) throw new Error(`${where}: the header ${name} is not described`)
    }
  }

  return {
    description,
    operations: () => operations,
    checkSuccess(operationId, body) {
      const { responses } = operations.find(({ id }) => id === operationId)?.spec ?? {}
      const [status = ''] = Object.keys(responses)
      const schema = resolve(responses[status]).content?.['application/json'].schema
      const validate = validatorOf(`${operationId} ${status} application/json`, schema ?? { not: {} })
      if (!validate(body))
        throw new Error(`${operationId}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`)
    },
    checkSent(headers, event) {
      const where = `the callback ${event.type}`
      const callback: Tree = Object.values(description.paths['/webhooks'].post.callbacks[event.type] ?? {})[0]
      if (!callback) throw new Error(`${where} is not described`)
      for (const { name } of callback.post.parameters.map(resolve)) {
        if (typeof headers[name] !== 'string') throw new Error(`${where}: the header ${name} is missing`)
      }
      const validate = validatorOf(where, callback.post.requestBody.content['application/json'].schema)
      if (!validate(event)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(event)}`)
    },
    check(method, path, response, body) {
      const pathname = new URL(path, 'http://petstore.test').pathname
      const wanted = method === 'HEAD' ? 'GET' : method
      const operation = patterns.find(
        ({ operation, pattern }) => operation.method === wanted && pattern.test(pathname),
      )?.operation
      if (!operation) return
      const where = `${operation.id} ${response.status}`
      const described = resolve(operation.spec.responses[response.status])
      if (!described) throw new Error(`${where}: this status is not described (${JSON.stringify(body)})`)
      checkHeaders(where, described.headers, response)
      checkMarks(where, operation.spec, response)
      if (method !== 'HEAD') checkBody(where, described.content, response, body)
      if (body !== undefined && response.status >= 400 && described.content['application/json'].examples) {
        const { code } = body as { code: string }
        if (!(code in described.content['application/json'].examples))
          throw new Error(`${where}: the code ${code} is not described`)
      }
      note(where)
    },
  }

  function note(pair: string): void {
    if (seen.has(pair)) return
    seen.add(pair)
    const file = process.env.CONTRACT_SEEN
    if (file) appendFileSync(file, `${pair}\n`)
  }
}

/** Responses are described as open, so that fields can be added later; here an undescribed field is a fault. */
function closed(schema: Tree): Tree {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Tree = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : closed(value)]),
  )
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false
  return copy
}

/** Merges shapes that extend others, so that they can be closed to unknown fields. */
function flattened(schemas: Tree): Tree {
  const whole = (schema: Tree): Tree => {
    if (schema.$ref) return whole(schemas[schema.$ref.split('/').at(-1)])
    if (!schema.allOf) return schema
    const parts = schema.allOf.map(whole)
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map((part: Tree) => part.properties)),
      required: parts.flatMap((part: Tree) => part.required ?? []),
    }
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, whole(schema)]))
}
