import { join } from 'node:path'
import { descriptionFile, folderOf } from './generators.ts'

export default {
  petstore: {
    input: descriptionFile,
    output: {
      target: join(folderOf('orval'), 'client.ts'),
      client: 'fetch',
      // Its functions take no base URL.
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
}
