import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { newDirectory } from '../scratch.ts'
import { onFreePort } from './free-port.ts'
import { root } from './run-service.ts'

export interface RunningProxy {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** The proxy of deploy/Caddyfile in front of these nodes; resolves when one of them is ready. */
export async function startCaddy(program: string, nodes: readonly string[]): Promise<RunningProxy> {
  const home = newDirectory()
  const deployed = await Bun.file(join(root, 'deploy/Caddyfile')).text()
  const local = deployed.replace(/node1:8080.*\{/, `${nodes.map((node) => new URL(node).host).join(' ')} {`)
  const config = join(home.path, 'Caddyfile')
  const env = { HOME: home.path, XDG_CONFIG_HOME: home.path, XDG_DATA_HOME: home.path }
  return onFreePort(async (port) => {
    await Bun.write(config, local.replace(/^:8080 \{/m, `:${port} {\n\tbind 127.0.0.1`))
    const proxy = Bun.spawn([program, 'run', '--adapter', 'caddyfile', '--config', config], {
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const url = `http://127.0.0.1:${port}`
    await eventually(() => {
      if (proxy.exitCode !== null) throw new Error('Caddy ended')
      return fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    })
    return {
      url,
      port,
      async stop() {
        proxy.kill()
        await proxy.exited
        home.remove()
      },
    }
  })
}
