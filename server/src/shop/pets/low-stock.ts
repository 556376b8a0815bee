/** Up to this count, stock is low, unless the shop has set another one. The migration of the counts repeats it. */
const lowStockMaxDefault = 2

/** SQL: the count up to which the shop calls stock low. */
export const lowStockMaxSql = `coalesce((SELECT low_stock_max FROM shop_settings WHERE one = 1), ${lowStockMaxDefault})`
