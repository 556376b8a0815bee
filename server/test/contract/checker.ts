import { appendFileSync } from 'node:fs'
import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

// Checks answers against the description that the service itself serves, with a validator that shares nothing with
// our definitions, and notes which (operation, status) pairs were seen.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is a tree of unknown depth
type Tree = any

export interface Contract {
  readonly description: Tree
  check(method: string, path: string, response: Response, body: unknown): void
  operations(): DescribedOperation[]
}

export interface DescribedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly spec: Tree
}

const transportHeaders =
  /^(date|content-length|content-type|cache-control|connection|transfer-encoding|access-control-.*)$/

export async function loadContract(url: string): Promise<Contract> {
  const description: Tree = await (await fetch(`${url}/openapi.json`)).json()
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
  ajv.addSchema(closed({ components: description.components }), 'description')

  const operations: DescribedOperation[] = []
  for (const [path, methods] of Object.entries<Tree>(description.paths)) {
    for (const [method, spec] of Object.entries<Tree>(methods)) {
      operations.push({ id: spec.operationId, method: method.toUpperCase(), path, spec })
    }
  }
  const patterns = operations.map((operation) => ({
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
    const validate = validatorOf(`${where} ${type}`, media.schema)
    if (!validate(body)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`)
  }

  function checkHeaders(where: string, headers: Tree, response: Response): void {
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
      if (!described.has(name) && !transportHeaders.test(name))
        throw new Error(`${where}: the header ${name} is not described`)
    }
  }

  const resolve = (node: Tree): Tree =>
    node?.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Tree, step: string) => at[step], description)
      : node

  return {
    description,
    operations: () => operations,
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

/** Answers are described as open, so that fields can be added later; here a field nobody described is a fault. */
function closed(schema: Tree): Tree {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Tree = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : closed(value)]),
  )
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false
  return copy
}
