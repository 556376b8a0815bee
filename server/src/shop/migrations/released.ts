import type { Migration } from '../../platform/db/migration.ts'
import { platformTables } from '../../platform/db/migrations/0001-platform.ts'
import { shopTables } from './0001-shop.ts'

/** The migrations of platform and shop, in the order of their release. A released one is never changed, only followed by another. */
export const released: readonly Migration[] = [platformTables, shopTables]
