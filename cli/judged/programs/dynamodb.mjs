// The client of AWS for DynamoDB, which retries by itself. Or as the developer guide of DynamoDB says ("Error Handling"): no retries for a
// change that is not idempotent; the item is read before the change is sent again.
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { isRecommended, makeCalls } from './make-calls.mjs'

const client = new DynamoDBClient()
const once = new DynamoDBClient({ maxAttempts: 1 })

const itemOf = (id) => ({ TableName: 'counters', Key: { id: { S: id } } })
const read = async (id) => (await client.send(new GetItemCommand({ ...itemOf(id), ConsistentRead: true }))).Item.n.N
const addOne = (sender) =>
  sender.send(
    new UpdateItemCommand({
      ...itemOf('a'),
      UpdateExpression: 'ADD n :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  )

async function addOneSafely() {
  const before = await read('a')
  try {
    await addOne(once)
  } catch {
    if ((await read('a')) === before) await addOne(once)
  }
}

await makeCalls({
  change: async () => {
    await (isRecommended ? addOneSafely() : addOne(client))
    process.stderr.write(`n is ${await read('a')}\n`)
  },
  reads: [() => read('a'), () => read('b')],
})
