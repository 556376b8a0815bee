// Octokit with its retry plugin; or also with its throttling plugin, whose handlers are those of its README.
import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const throttle = {
  // Only retries once.
  onRateLimit: (_retryAfter, _options, _octokit, retryCount) => retryCount < 1,
  // Does not retry.
  onSecondaryRateLimit: () => undefined,
}
const Client = isRecommended ? Octokit.plugin(retry, throttling) : Octokit.plugin(retry)
const octokit = new Client({ baseUrl: url, auth: 'secret123', ...(isRecommended && { throttle }) })

await makeCalls({
  change: () => octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'pip', repo: 'shop', title: 'Hello' }),
  reads: [
    () => octokit.request('GET /repos/{owner}/{repo}', { owner: 'pip', repo: 'shop' }),
    () => octokit.request('GET /users/{username}', { username: 'pip' }),
  ],
})
