import { serve } from './serve.ts'

// What `npm start` runs; `petstore serve` does the same.
process.exit(await serve(process.env))
