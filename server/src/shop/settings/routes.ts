import { ok, type Route, read, write } from '../../platform/api/operation.ts'
import { changeSettings } from './change.ts'
import { getStoreSettings, updateStoreSettings } from './operations.ts'
import { showSettings } from './show.ts'
import { findSettings } from './store.ts'

export const settingsRoutes: Route[] = [
  read(getStoreSettings, async (db) => ok(showSettings(await findSettings(db)))),
  write(updateStoreSettings, async (tx, input) => ok(showSettings(await changeSettings(tx, input, input.body)))),
]
