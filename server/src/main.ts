import { serve } from './serve.ts'
import { petShop } from './shop/index.ts'

// Run by `npm start`; `petstore serve` does the same.
serve(petShop, process.env).then((code) => process.exit(code))
