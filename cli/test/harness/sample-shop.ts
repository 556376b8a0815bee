import { type Nodes, startNodes } from '../../../server/test/harness/nodes.ts'

/** A service with the sample shop, and the environment with which the program uses it. */
export async function startSampleShop(
  settings: Record<string, string> = {},
): Promise<Nodes & { env: Record<string, string> }> {
  const shop = await startNodes(1, { SAMPLE_DATA: 'true', ...settings })
  return { ...shop, env: { PETSTORE_URL: shop.nodes[0]?.url ?? '', PETSTORE_API_KEY: shop.adminSecret } }
}
