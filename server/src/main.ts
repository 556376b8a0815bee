import { serve } from './serve.ts'

// Run by `npm start`; `petstore serve` does the same.
process.exit(await serve(process.env))
