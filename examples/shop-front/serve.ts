// Serves the shop front on http://localhost:3000, or on PORT. Bun bundles it; any bundler can.
import page from './index.html'

const { port } = Bun.serve({ routes: { '/': page }, port: Number(process.env.PORT ?? 3000), development: false })
process.stdout.write(`The shop front is on http://localhost:${port}\n`)
