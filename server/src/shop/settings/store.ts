import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { lowStockMaxSql } from '../pets/low-stock.ts'

export interface SettingsRow {
  readonly low_stock_max: number
}

export async function findSettings(db: Queryable): Promise<SettingsRow> {
  const [row] = await db.query<SettingsRow>(`SELECT ${lowStockMaxSql} AS low_stock_max`)
  return row as SettingsRow
}

export async function saveSettings(tx: Transaction, { low_stock_max }: SettingsRow): Promise<void> {
  await tx.query(
    `INSERT INTO shop_settings (one, low_stock_max) VALUES (1, $1)
     ON CONFLICT (one) DO UPDATE SET low_stock_max = excluded.low_stock_max`,
    [low_stock_max],
  )
}
