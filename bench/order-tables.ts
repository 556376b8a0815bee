import { Database } from 'bun:sqlite'

/** The tables an order touches, as durable as the service's own, with pets to read and stock to take. */
export function openOrderTables(path: string): Database {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT) STRICT')
  db.run('CREATE TABLE inventory (pet_id INTEGER PRIMARY KEY, quantity INTEGER CHECK (quantity >= 0)) STRICT')
  db.run('CREATE TABLE orders (id INTEGER PRIMARY KEY, pet_id INTEGER, quantity INTEGER, complete INTEGER) STRICT')
  db.run('CREATE INDEX orders_by_pet ON orders (pet_id, id)')
  db.run(
    'CREATE TABLE stock_movements (id INTEGER PRIMARY KEY, pet_id INTEGER, delta INTEGER, order_id INTEGER) STRICT',
  )
  db.transaction(() => {
    for (let id = 1; id <= 100; id++) {
      db.run("INSERT INTO pets VALUES (?, 'Rex', 1, 'available')", [id])
      db.run('INSERT INTO inventory VALUES (?, 1000000000)', [id])
    }
  })()
  return db
}

/** Takes stock, places the order and writes the ledger, with a commit of its own. */
export function orderPlacer(db: Database): (petId: number, quantity: number) => number {
  const take = db.query('UPDATE inventory SET quantity = quantity - ?2 WHERE pet_id = ?1 AND quantity >= ?2')
  const insert = db.query('INSERT INTO orders (pet_id, quantity, complete) VALUES (?, ?, 0) RETURNING id')
  const record = db.query('INSERT INTO stock_movements (pet_id, delta, order_id) VALUES (?, ?, ?)')
  return db.transaction((petId: number, quantity: number) => {
    take.run(petId, quantity)
    const { id } = insert.get(petId, quantity) as { id: number }
    record.run(petId, -quantity, id)
    return id
  })
}
