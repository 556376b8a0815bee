import { operations } from '../server/src/app.ts'
import { about } from '../server/src/description/about.ts'
import { openapi } from '../server/src/description/openapi.ts'
import { neutralUrl } from '../server/src/description/served.ts'

/** openapi.json as the operations say it should be. */
export const currentDescription = (): string => `${JSON.stringify(openapi(operations, about, neutralUrl), null, 2)}\n`
