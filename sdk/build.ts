// Builds dist/, the package as published. The output folder may be given as an argument.
import { buildLibrary } from '../scripts/packages/build-library.ts'

await buildLibrary(import.meta.dir)
