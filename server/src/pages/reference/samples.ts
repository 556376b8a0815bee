import type { DescribedOperation } from './document.ts'

// Samples hold what is required and nothing else. The key comes from the environment, never from the page.

export function curlSample(operation: DescribedOperation, baseUrl: string): string {
  const { body } = operation
  const lines = [
    `curl ${operation.method === 'GET' ? '' : `-X ${operation.method} `}"${baseUrl}${examplePath(operation)}"`,
    '-H "X-API-Key: $PETSTORE_KEY"',
    ...(operation.method === 'POST' ? ['-H "Idempotency-Key: $(date +%s)-$RANDOM"'] : []),
    ...(body ? [`-H "Content-Type: ${body.type}"`, `-d '${written(body.example).replaceAll("'", "'\\''")}'`] : []),
  ]
  return lines.join(' \\\n  ')
}

export function fetchSample(operation: DescribedOperation, baseUrl: string): string {
  const { body } = operation
  const headers = [
    "'X-API-Key': process.env.PETSTORE_KEY ?? '',",
    ...(operation.method === 'POST' ? ["'Idempotency-Key': crypto.randomUUID(),"] : []),
    ...(body ? [`'Content-Type': '${body.type}',`] : []),
  ]
  return [
    `const response = await fetch('${baseUrl}${examplePath(operation)}', {`,
    ...(operation.method === 'GET' ? [] : [`  method: '${operation.method}',`]),
    '  headers: {',
    ...headers.map((line) => `    ${line}`),
    '  },',
    ...(body ? [`  body: JSON.stringify(${written(body.example).replaceAll('\n', '\n  ')}),`] : []),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    ...reading(operation),
  ].join('\n')
}

// Short bodies on one line, long ones indented.
function written(example: unknown = {}): string {
  const line = JSON.stringify(example)
  return line.length <= 40 ? line : JSON.stringify(example, null, 2)
}

/** What is done with the answer. */
function reading({ responses }: DescribedOperation): string[] {
  const hasBody = Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content)
  return hasBody ? ['const result = await response.json()'] : []
}

function examplePath({ path, parameters }: DescribedOperation): string {
  const example = (name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? 1
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example(name))))
  const query = new URLSearchParams()
  for (const { name, in: place, required } of parameters) {
    if (place === 'query' && required) query.append(name, String(example(name)))
  }
  return filled + (query.size === 0 ? '' : `?${query}`)
}
