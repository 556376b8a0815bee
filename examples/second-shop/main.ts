import { serve } from '../../server/src/serve.ts'
import { library } from './library.ts'

serve(library, { DATABASE_URL: 'sqlite:library.db', ...process.env }).then((code) => process.exit(code))
