import type { SettingsRow } from './store.ts'

/** The settings as clients see them. */
export const showSettings = ({ low_stock_max }: SettingsRow) => ({ lowStockMax: low_stock_max })
