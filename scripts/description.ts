import { operations } from '../server/src/app.ts'
import { about } from '../server/src/description/about.ts'
import { openapi } from '../server/src/description/openapi.ts'

/** The committed file is of no place; a running service serves it with its own address. */
const neutralUrl = 'https://petstore.example.com'

/** openapi.json as the operations say it should be. */
export const currentDescription = (): string => `${JSON.stringify(openapi(operations, about, neutralUrl), null, 2)}\n`
