import { placeholderUrl } from '../server/src/platform/compose/content.ts'
import { petShop } from '../server/src/shop/index.ts'
import { buildOpenapi } from '../server/src/surfaces/description/openapi.ts'

/** openapi.json as the operations say it should be. */
export const currentDescription = (): string => `${JSON.stringify(buildOpenapi(petShop, placeholderUrl), null, 2)}\n`
