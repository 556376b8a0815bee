import { atPort, type Config, databaseUrlDefault } from './config.ts'
import type { Shop } from './platform/compose/shop.ts'
import { sqlitePath } from './platform/db/open.ts'
import type { Service } from './start.ts'

/** What a person reads when the service has started: what runs where, the first key, what to do next and how to stop. */
export function announce(shop: Shop, config: Config, { port, metricsPort, newSecret, isNewShop }: Service): string {
  const baseUrl = atPort(config.baseUrl, port)
  const file = sqlitePath(config.databaseUrl)
  const place = file === undefined ? 'in PostgreSQL' : `in ${file}`
  const created = `The shop is new${config.sampleData ? ' and has sample data' : ''}. It is ${place}.`
  const where = config.databaseUrl === databaseUrlDefault ? '' : ', with the same DATABASE_URL'
  const recovery = `npx petstore keys create --admin${where}`
  const firstKey = `Your administrator key, shown only once:
  ${newSecret}

Use it: ${shop.hasConsole ? `open ${baseUrl}/console and paste it into the field, or` : 'send it with every request:'}
  curl -H 'X-API-Key: ${newSecret}' '${baseUrl}${shop.firstPath}?limit=3'`
  return [
    `${shop.title} is ready on port ${port}. Press Ctrl-C to stop.
  Home         ${baseUrl}/
${shop.hasConsole ? `  Console      ${baseUrl}/console\n` : ''}  Reference    ${baseUrl}/docs
  OpenAPI      ${baseUrl}/openapi.json${metricsPort === undefined ? '' : `\n  Metrics      on port ${metricsPort}`}`,
    isNewShop ? created : `Your shop is still there, ${place}. If you lost the key: ${recovery}`,
    ...(newSecret === undefined ? [] : [firstKey]),
  ].join('\n\n')
}

/** Says why a start failed, and what to do. */
export function explainFailure(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: error }
  const isFull = [error, cause].some((one) => ['SQLITE_FULL', 'ENOSPC'].includes(codeOf(one)))
  if (isFull) return 'The disk is full, so the database cannot be written. Free some space, then start again.'
  return `${message}${cause instanceof Error ? ` (${cause.message})` : ''}`
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code)
