// The client of AWS for S3, which retries by itself. The address of a bucket is a path, as servers other than S3 need it.
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { makeCalls } from './make-calls.mjs'

const client = new S3Client({ forcePathStyle: true })

async function read(key) {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'judged', Key: key }))
  return Body.transformToString()
}

await makeCalls({
  change: () => client.send(new PutObjectCommand({ Bucket: 'judged', Key: 'new', Body: 'new' })),
  reads: [() => read('a'), () => read('b')],
})
