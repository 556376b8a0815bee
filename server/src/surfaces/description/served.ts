import { placeholderUrl } from '../../platform/compose/content.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import type { JsonSchema } from './json-schema.ts'
import { buildOpenapi } from './openapi.ts'

/** The description for a base URL. A description that was generated earlier saves time; `npm test` checks that it is current. */
export const descriptionFor = (shop: Shop, baseUrl: string): JsonSchema =>
  shop.description === undefined
    ? buildOpenapi(shop, baseUrl)
    : JSON.parse(shop.description.replaceAll(placeholderUrl, baseUrl))
