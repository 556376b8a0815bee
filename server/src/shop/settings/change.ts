import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { repairShopCounts } from '../summary/recount.ts'
import { showSettings } from './show.ts'
import { findSettings, type SettingsRow, saveSettings } from './store.ts'

interface SettingsChange {
  readonly lowStockMax?: number | undefined
}

/** Changes the settings, and counts the pets with little stock again. */
export async function changeSettings(tx: Transaction, call: Call, change: SettingsChange): Promise<SettingsRow> {
  // A trigger counts each change of the stock by the setting: a concurrent change would be counted by the old setting.
  const lock = tx.dialect.lockTable('inventory')
  if (lock !== undefined) await tx.query(lock)
  const settings = await findSettings(tx)
  call.mustMatch(showSettings(settings))
  const { lowStockMax = settings.low_stock_max } = change
  if (lowStockMax === settings.low_stock_max) return settings
  const changed = { low_stock_max: lowStockMax }
  await saveSettings(tx, changed)
  await repairShopCounts(tx)
  return changed
}
