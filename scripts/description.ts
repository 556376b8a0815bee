import { operations } from '../server/src/shop/index.ts'
import { about } from '../server/src/surfaces/description/about.ts'
import { buildOpenapi } from '../server/src/surfaces/description/openapi.ts'
import { placeholderUrl } from '../server/src/surfaces/description/served.ts'

/** openapi.json as the operations say it should be. */
export const currentDescription = (): string =>
  `${JSON.stringify(buildOpenapi(operations, about, placeholderUrl), null, 2)}\n`
