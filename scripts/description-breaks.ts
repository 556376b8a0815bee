import { isDeepStrictEqual } from 'node:util'
import {
  type Content,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  type Response,
  resolve,
} from './openapi-document.ts'
import { createSchemaComparison, type Direction, type Note } from './schema-breaks.ts'

/** The breaking changes from the released description to the current one. Additions break no client. */
export function breaksOf(released: OpenapiDocument, current: OpenapiDocument, today: string): string[] {
  const breaks: string[] = []
  const note: Note = (isBroken, text) => {
    if (isBroken) breaks.push(text)
  }
  const compareSchemas = createSchemaComparison(released, current, note)

  compareSecurity()
  for (const [path, methods] of Object.entries(released.paths)) {
    for (const [method, was] of Object.entries(methods)) {
      if (!isPromised(was, today)) continue
      const is = current.paths[path]?.[method]
      const place = `${method.toUpperCase()} ${path}`
      note(is === undefined, `${place} is gone`)
      if (is) compareOperations(place, was, is)
    }
  }
  return breaks

  function compareSecurity(): void {
    const schemes = ({ components }: OpenapiDocument, name: string) => ({
      ...components.securitySchemes?.[name],
      description: undefined,
    })
    for (const name of Object.keys(released.components.securitySchemes ?? {})) {
      const isSame = isDeepStrictEqual(schemes(released, name), schemes(current, name))
      note(!isSame, `The security scheme ${name} is gone or another one`)
    }
  }

  function compareOperations(place: string, was: Operation, is: Operation): void {
    const { 'x-required-scope': scope, 'x-stability': stability, 'x-deprecated-sunset': sunset } = is
    note(was.operationId !== is.operationId, `${place} was called ${was.operationId} and is called ${is.operationId}`)
    note(scope !== undefined && scope !== was['x-required-scope'], `${place} asks for the scope ${scope}`)
    note(stability !== undefined, `${place} was stable and is ${stability}`)
    const sunsetWas = was['x-deprecated-sunset']
    note(sunsetWas !== undefined && sunset !== undefined && sunset < sunsetWas, `${place} ends earlier than was said`)
    compareParameters(place, parametersOf(released, was), parametersOf(current, is))
    compareBodies(place, was, is)
    compareAllResponses(place, was, is)
  }

  function compareParameters(place: string, was: Map<string, Parameter>, is: Map<string, Parameter>): void {
    for (const [name, before] of was) {
      const after = is.get(name)
      const spot = `${place}, parameter ${name}`
      note(after === undefined, `${spot} is gone`)
      if (after === undefined) continue
      note(before.style !== after.style || before.explode !== after.explode, `${spot} is written in another way`)
      compareSchemas(spot, before.schema, after.schema, 'sent')
    }
    for (const [name, { required = false }] of is) {
      note(required && was.get(name)?.required !== true, `${place}, parameter ${name} is newly required`)
    }
  }

  function compareBodies(place: string, { requestBody: was }: Operation, { requestBody: is }: Operation): void {
    note(is?.required === true && was?.required !== true, `${place}, body is newly required`)
    if (was) compareContents(`${place}, body`, was.content, is?.content ?? {}, 'sent')
  }

  function compareAllResponses(place: string, was: Operation, is: Operation): void {
    for (const [status, before] of Object.entries(was.responses)) {
      const after = is.responses[status]
      const spot = `${place}, response ${status}`
      note(after === undefined, `${spot} is gone`)
      if (after) compareResponses(spot, resolve(released, before), resolve(current, after))
    }
    for (const status of Object.keys(is.responses)) {
      note(
        status.startsWith('2') && !(status in was.responses),
        `${place}, response ${status} is an unexpected success`,
      )
    }
  }

  function compareResponses(place: string, was: Response, is: Response): void {
    for (const [name, header] of Object.entries(was.headers ?? {})) {
      const now = is.headers?.[name]
      const spot = `${place}, header ${name}`
      note(now === undefined, `${spot} is gone`)
      if (now === undefined) continue
      const [before, after] = [resolve(released, header), resolve(current, now)]
      note(before.required === true && after.required !== true, `${spot} may be missing`)
      compareSchemas(spot, before.schema, after.schema, 'received')
    }
    compareContents(place, was.content ?? {}, is.content ?? {}, 'received')
  }

  function compareContents(place: string, was: Content, is: Content, direction: Direction): void {
    for (const [type, { schema = {} }] of Object.entries(was)) {
      const after = is[type]
      note(after === undefined, `${place} as ${type} is gone`)
      if (after) compareSchemas(place, schema, after.schema ?? {}, direction)
    }
  }
}

/** Beta and experimental operations may change; deprecated ones may be removed after their sunset. */
const isPromised = (operation: Operation, today: string): boolean =>
  operation['x-stability'] === undefined && (operation['x-deprecated-sunset'] ?? today) >= today

const parametersOf = (document: OpenapiDocument, { parameters = [] }: Operation): Map<string, Parameter> =>
  new Map(parameters.map((given) => resolve(document, given)).map((found) => [`${found.name} (${found.in})`, found]))
