import { servePetStore } from './pet-store.ts'

// Run by `npm start`; `petstore serve` does the same.
servePetStore(process.env).then((code) => process.exit(code))
