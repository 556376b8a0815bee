// Builds dist/console.json, the console as the container image has it: one script and one style sheet. Everywhere else the service
// builds it when it starts.
import { bundleConsole } from '../server/src/surfaces/pages/console/bundle.ts'

const { fault } = bundleConsole()
if (fault !== '') {
  process.stderr.write(`The console cannot be built: ${fault}\n`)
  process.exit(1)
}
