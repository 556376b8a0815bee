/** `UPDATE` as a verb, not in FOR UPDATE or ON CONFLICT DO UPDATE. */
const writes = /(?<!\bFOR |\bDO )\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)/g
const reads = /\bFROM (?!\()(\w+)|\bSELECT (\w+)\(/

const shortVerbs: Record<string, string> = { 'INSERT INTO': 'INSERT', 'DELETE FROM': 'DELETE' }

/**
 * A short name for a statement: what it does to which table, such as `SELECT api_keys` or `INSERT events`. It contains only words of our SQL,
 * so there are few names, whatever clients send.
 */
export function nameStatement(sql: string): string {
  const written = [...sql.matchAll(writes)].map(([, verb = '', table]) => `${shortVerbs[verb] ?? verb} ${table}`)
  if (written.length > 0) return [...new Set(written)].join(', ')
  const [, table, routine] = reads.exec(sql) ?? []
  const source = table ?? routine
  return source === undefined ? (/\w+/.exec(sql)?.[0] ?? 'other') : `SELECT ${source}`
}
