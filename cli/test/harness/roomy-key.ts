import { call } from '../../../server/test/harness/nodes.ts'

/** A key with limits that no test reaches. */
export async function roomyKey(url: string, adminSecret: string): Promise<string> {
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const key = { name: 'Import', plan: 'enterprise', preset: 'admin', limits }
  const { status, body } = await call(url, adminSecret, 'POST', '/keys', key)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.secret
}
