import { serve } from './serve.ts'

// Run by `npm start`; `petstore serve` does the same.
serve(process.env).then((code) => process.exit(code))
