import type { Migration } from '../migration.ts'
import { platformTables } from './0001-platform.ts'

/** The platform's migrations, in order. A service lists them among its own, in the order in which they were released. */
export const platformMigrations: readonly Migration[] = [platformTables]
