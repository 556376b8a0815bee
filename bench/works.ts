// The kinds of work that are measured, and the subjects this service is compared with.
import type { Server } from './servers.ts'

export interface Row {
  readonly name: string
  readonly server: Server | undefined
  /** The path on other servers, if it differs. */
  readonly path?: string
  readonly goal?: number
}

export interface Work {
  readonly title: string
  readonly path: string
  readonly bodies?: readonly string[]
  readonly service: Server
  readonly others: readonly Row[]
}

/** The servers that take part. Peers are missing if they could not be installed. */
export interface Servers {
  readonly service: Server
  readonly straight: Server
  readonly bare: Server
  readonly fastify: Server | undefined
  readonly jsonServer: Server | undefined
}

export const orderOf = (petId: number): string => JSON.stringify({ petId, quantity: 1 })
const withOperations = 'the same with log, metrics, usage and checks of the head'

export function worksFor({ service, straight, bare, fastify, jsonServer }: Servers): Work[] {
  return [
    {
      title: 'Pet by id, SQLite',
      path: '/pets/7',
      service,
      others: [
        { name: 'straight handler', server: straight, goal: 0.8 },
        { name: withOperations, server: straight, path: '/whole/pets/7' },
        { name: 'bare Bun.serve, constant response', server: bare, goal: 0.46 },
        { name: 'the same with 14 headers', server: bare, path: '/headers/pets/7' },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
        { name: 'json-server', server: jsonServer },
      ],
    },
    {
      title: 'Profile by id, SQLite',
      path: '/pets/7/profile',
      service,
      others: [
        { name: 'straight handler', server: straight, goal: 0.8 },
        { name: withOperations, server: straight, path: '/whole/pets/7/profile' },
        { name: 'bare Bun.serve, constant response of a pet', server: bare, path: '/pets/7', goal: 0.46 },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
      ],
    },
    {
      title: 'Page of 20 with a filter, SQLite',
      path: '/pets?limit=20&status=available',
      service,
      others: [
        { name: 'straight handler', server: straight, goal: 0.75 },
        { name: 'Fastify and better-sqlite3 on Node', server: fastify },
        { name: 'json-server', server: jsonServer, path: '/pets?_limit=20&status=available' },
      ],
    },
    {
      title: 'Durable order, SQLite',
      path: '/store/orders',
      bodies: [orderOf(7)],
      service,
      others: [
        { name: 'straight handler with group commit', server: straight, goal: 0.8 },
        { name: withOperations, server: straight, path: '/whole/store/orders' },
        {
          name: 'straight handler, one commit per order',
          server: straight,
          path: '/one-commit/store/orders',
          goal: 1.8,
        },
        { name: 'Fastify and better-sqlite3 on Node, one commit per order', server: fastify },
      ],
    },
  ]
}
