import { operations } from '../server/src/app.ts'
import { about } from '../server/src/description/about.ts'
import { buildOpenapi } from '../server/src/description/openapi.ts'
import { placeholderUrl } from '../server/src/description/served.ts'

/** openapi.json as the operations say it should be. */
export const currentDescription = (): string =>
  `${JSON.stringify(buildOpenapi(operations, about, placeholderUrl), null, 2)}\n`
