import type { ErrorKind } from '../api/errors.ts'
import type { Call, Operation, Route, Scope } from '../api/operation.ts'
import { traitsOf } from '../api/traits.ts'
import type { Transaction } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import { platformMigrations } from '../db/migrations/released.ts'
import { sortTables, type Table } from '../db/table.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { adminPreset } from '../keys/plans.ts'
import type { KeyShapes } from '../keys/shapes.ts'
import type { ShopContent } from './content.ts'
import type { Feature, Job, JobParts, Tag } from './feature.ts'
import { createPlatform, platformGroup, platformScopes, type RouteParts } from './platform-features.ts'

/** What makes one service different from another on the same platform. */
export interface ShopDefinition extends ShopContent {
  /** What programs call it. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  readonly version: string
  /** In the order of the reference. */
  readonly features: readonly Feature[]
  /** The groups of its tags. */
  readonly groups: readonly Tag[]
  /** Named sets of scopes. Every service also has `admin`, with all scopes. */
  readonly presets: Readonly<Record<string, readonly Scope[]>>
  /** What examples of keys and webhooks use. */
  readonly examples: { readonly preset: string; readonly events: readonly string[] }
  /** The platform's and its own, in the order of their release: a database that has run some continues after them. */
  readonly migrations: readonly Migration[]
  /** Fills an empty shop, as if it had opened that long ago. */
  readonly loadSample?: (tx: Transaction, call: Call, ageMs: number) => Promise<void>
  /** How long ago; 0 by default. */
  readonly sampleAgeMs?: number
}

/** A definition with everything that follows from its features and the platform's. */
export interface Shop extends ShopDefinition {
  readonly operations: readonly Operation[]
  /** By status. */
  readonly errors: readonly ErrorKind[]
  readonly scopeMeanings: Readonly<Record<Scope, string>>
  readonly tags: readonly Tag[]
  /** The path of the first call that visitors are shown. */
  readonly firstPath: string
  /** In the order in which they are copied. */
  readonly tables: readonly Table[]
  readonly catalogue: EventCatalogue
  readonly NewApiKey: KeyShapes['NewApiKey']
  routes(parts: RouteParts): Route[]
  jobs(parts: JobParts): Job[]
}

/** Adds the platform to the features of a shop. Throws if two of them declare the same name, or one uses what none declares. */
export function defineShop(definition: ShopDefinition): Shop {
  const { features: own, groups, examples } = definition
  const scopeMeanings = { ...Object.assign({}, ...own.map(({ scopes }) => scopes)), ...platformScopes }
  const presets = { ...definition.presets, [adminPreset]: Object.keys(scopeMeanings) }
  const platform = createPlatform({
    permissions: { meanings: scopeMeanings, presets, examplePreset: examples.preset },
    families: own.flatMap(({ events = [] }) => events),
    exampleFilters: examples.events,
  })
  const features = [...own, ...platform.features]
  const operations = features.flatMap((feature) => feature.operations ?? [])
  // The platform's errors and tables come first.
  const platformFirst = [...platform.features, ...own]
  const errors = platformFirst.flatMap((feature) => Object.values(feature.errors ?? {}))
  const shop: Shop = {
    ...definition,
    features,
    presets,
    operations,
    errors: errors.toSorted((one, other) => one.status - other.status),
    scopeMeanings,
    tags: [...groups, platformGroup, ...features.flatMap(({ tags = [] }) => tags)],
    firstPath: operations.find(({ id }) => id === definition.firstCall.operation)?.path ?? '',
    tables: sortTables(platformFirst.flatMap(({ tables = [] }) => tables)),
    catalogue: platform.catalogue,
    NewApiKey: platform.NewApiKey,
    routes: (parts) => [...own.flatMap(({ routes = [] }) => routes), ...platform.routes(parts)],
    jobs: (parts) => features.flatMap(({ jobs }) => jobs?.(parts) ?? []),
  }
  mustMigratePlatform(shop.migrations)
  mustFit(shop)
  return shop
}

/** Throws if the platform's migrations are not among those of the service, each once and in their order. */
function mustMigratePlatform(migrations: readonly Migration[]): void {
  const listed = migrations.filter((migration) => platformMigrations.includes(migration)).map(({ name }) => name)
  const wanted = platformMigrations.map(({ name }) => name)
  if (listed.join() !== wanted.join())
    throw new Error(`the migrations must have these of the platform, in this order: ${wanted.join(', ')}`)
}

/** Throws if names are not unique, or an operation, event or preset uses what no feature declares. */
function mustFit(shop: Shop): void {
  const {
    features,
    operations,
    errors,
    catalogue,
    presets,
    scopeMeanings,
    tags,
    tables,
    firstCall,
    prompts = [],
  } = shop
  const mustBeUnique = (what: string, names: readonly string[]) => {
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) throw new Error(`two features declare the ${what} ${repeated}`)
  }
  const mustBeDeclared = (what: string, known: ReadonlySet<unknown>, used: string | undefined, by: string) => {
    if (used !== undefined && !known.has(used))
      throw new Error(`${by} uses the ${what} ${used}, which no feature declares`)
  }
  const types = catalogue.families.flatMap((family) => [...family.types, ...(family.sentOnly ?? [])])
  mustBeUnique(
    'name',
    features.map(({ name }) => name),
  )
  mustBeUnique(
    'operation',
    operations.map(({ id }) => id),
  )
  mustBeUnique(
    'path',
    operations.map(({ method, path }) => `${method} ${path}`),
  )
  mustBeUnique(
    'error',
    errors.map(({ code }) => code),
  )
  mustBeUnique('event', types)
  mustBeUnique(
    'table',
    tables.map(({ name }) => name),
  )
  mustBeUnique(
    'tag',
    tags.map(({ name }) => name),
  )
  mustBeUnique('scope', [platformScopes, ...features.map(({ scopes = {} }) => scopes)].flatMap(Object.keys))

  const scopes = new Set(Object.keys(scopeMeanings))
  const codes = new Set(errors.map(({ code }) => code))
  const tagNames = new Set(tags.map(({ name }) => name))
  const ids = new Set(operations.map(({ id }) => id))
  for (const operation of operations) {
    const by = `the operation ${operation.id}`
    mustBeDeclared('scope', scopes, operation.scope, by)
    mustBeDeclared('scope', scopes, operation.orScope, by)
    mustBeDeclared('tag', tagNames, operation.tag, by)
    mustBeDeclared('operation', ids, operation.coveredBy, by)
    for (const { code } of traitsOf(operation).errors) mustBeDeclared('error', codes, code, by)
  }
  for (const { resource, audience, cause } of catalogue.families) {
    const by = `the event ${resource}.*`
    for (const scope of [audience.scope, audience.others?.scope, cause?.othersScope])
      mustBeDeclared('scope', scopes, scope, by)
  }
  mustBeDeclared('operation', ids, firstCall.operation, 'the first call')
  for (const { name, uses } of prompts)
    for (const id of uses) mustBeDeclared('operation', ids, id, `the prompt ${name}`)
  for (const [preset, given] of Object.entries(presets))
    for (const scope of given) mustBeDeclared('scope', scopes, scope, `the preset ${preset}`)
}
