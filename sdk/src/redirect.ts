/**
 * Says that a response is a redirect, and where to; undefined if it is not one. Redirects are not followed: they turn a POST into a
 * GET, and would give the key to another server.
 */
export function explainRedirect({ type, status, headers }: Response): string | undefined {
  // Browsers hide status and headers of a redirect.
  if (type !== 'opaqueredirect' && Math.trunc(status / 100) !== 3) return undefined
  const location = headers.get('Location')
  const target = location ? ` to ${location.slice(0, 200)}` : ''
  return `The request was redirected${target}, which is not followed. If the service is there, use that base URL.`
}
