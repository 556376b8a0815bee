import type { Upstream } from '../client.ts'
import { startServer } from './start-server.ts'

const script = `
const server = require('dynalite')({ createTableMs: 0 })
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const TableName = 'counters'

/** dynalite, which serves the API of DynamoDB from memory, with a table that has two counters, `a` and `b`. */
export async function startDynalite(node: string): Promise<Upstream> {
  const { url, stop } = await startServer({ node, script, fill })
  return {
    url,
    env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'judged', AWS_SECRET_ACCESS_KEY: 'judged' },
    async changes() {
      const { Item } = await send(url, 'GetItem', { TableName, Key: { id: { S: 'a' } }, ConsistentRead: true })
      return Number(Item?.n.N)
    },
    stop,
  }
}

async function fill(url: string): Promise<void> {
  await send(url, 'CreateTable', {
    TableName,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  })
  for (const id of ['a', 'b']) await send(url, 'PutItem', { TableName, Item: { id: { S: id }, n: { N: '0' } } })
}

/** dynalite only looks at the form of a signature. */
const signature =
  'AWS4-HMAC-SHA256 Credential=judged/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'

async function send(url: string, operation: string, body: object): Promise<{ Item?: { n: { N: string } } }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20260101T000000Z',
      Authorization: signature,
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`dynalite, ${operation}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { Item?: { n: { N: string } } }
}
