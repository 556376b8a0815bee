// The client of OpenAI, which retries by itself; or with the `maxRetries` of its README.
import OpenAI from 'openai'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const client = new OpenAI({ baseURL: url, apiKey: 'test', ...(isRecommended && { maxRetries: 5 }) })

await makeCalls({
  change: () => client.chat.completions.create({ model: 'stub', messages: [{ role: 'user', content: 'Hello' }] }),
  reads: [() => client.models.list(), () => client.models.retrieve('stub')],
})
