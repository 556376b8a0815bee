// Limits on the size of requests. The error catalogue and the description quote them.

export const bodyKibMax = 256
export const urlKibMax = 8
export const headersKibMax = 16
export const nestingMax = 32
/** Names and values in a body, on all levels: the largest valid batch has less than half as many. */
export const bodyValuesMax = 2_000
/** Faults that an error lists. */
export const faultsNamedMax = 50
/** How long the response to a request with an Idempotency-Key is kept. */
export const responsesKeptHours = 24
