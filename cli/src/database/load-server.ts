import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

const needsServer =
  'This command runs the service or works on its database, so it needs the service and Bun, which this installation does not have. Run it in the repository (npx petstore …), with the executable of a release (npm run compile builds it), or in the container image.'

/** Loads parts of the server, when a command needs them: the installed package runs on Node, without the server. */
export async function loadServer<T>(load: () => Promise<T>): Promise<T> {
  if (!('Bun' in globalThis)) throw new Failure(needsServer, exitCodes.misused)
  return load()
}
