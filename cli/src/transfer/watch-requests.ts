/** Counts the requests of an import, and notices whether one of them may have registered pets. */
export function watchRequests() {
  let sent = 0
  let mayHaveRegistered = false
  return {
    sent: () => sent,
    mayHaveRegistered: () => mayHaveRegistered,
    async fetch(url: string, init: RequestInit): Promise<Response> {
      sent++
      let isRejected = false
      try {
        const response = await fetch(url, init)
        isRejected = response.status >= 400 && response.status < 500
        return response
      } finally {
        // If no response came, the service may have registered the pets anyway.
        mayHaveRegistered ||= url.endsWith('/pets/batch') && !isRejected
      }
    },
  }
}
