import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { newDirectory } from '../scratch.ts'
import { runProgram } from './run-service.ts'

/** Expressions and rules with short windows, so that a test need not wait for minutes. */
export const quickly = (text: string): string =>
  text.replaceAll(/\[(\d+m|\$__rate_interval)\]/g, '[10s]').replaceAll(/^( +for:) .*$/gm, '$1 0s')

export interface Prometheus extends AsyncDisposable {
  /** The number of series that an expression has now. */
  count(expression: string): Promise<number>
  /** The names of alerts that fire. */
  firing(): Promise<Set<string>>
}

/** Debian's Prometheus, which scrapes a node every second as the job petstore, and evaluates these rules quickly. */
export async function startPrometheus(program: string, target: number, rules: string): Promise<Prometheus> {
  const scratch = newDirectory()
  const file = (name: string, text: string) => {
    writeFileSync(join(scratch.path, name), text)
    return join(scratch.path, name)
  }
  file('alerts.yaml', quickly(rules))
  const config = file(
    'prometheus.yml',
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: petstore
    static_configs: [{ targets: ['127.0.0.1:${target}'] }]
`,
  )
  const readyWhen = /msg="Listening on".* address=(\S+)/
  const running = runProgram({
    command: [
      // It logs to its error output.
      ...['sh', '-c', 'exec "$@" 2>&1', 'sh', program],
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(scratch.path, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    readyWhen,
  })
  await running.ready
  const [, address] = readyWhen.exec(running.output()) ?? []
  // biome-ignore lint/suspicious/noExplicitAny: read below, field by field
  const ask = async (path: string): Promise<any> => (await fetch(`http://${address}${path}`)).json()
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(isReady)
  return {
    async count(expression) {
      const { status, data, error } = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)
      if (status !== 'success') throw new Error(`${expression}: ${error}`)
      return data.result.length
    },
    async firing() {
      const { data } = await ask('/api/v1/alerts')
      const alerts: { state: string; labels: { alertname: string } }[] = data.alerts
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    async [Symbol.asyncDispose]() {
      await running.kill('SIGKILL')
      scratch.remove()
    },
  }
}
