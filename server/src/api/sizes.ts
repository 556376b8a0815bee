// How large a request may be, and how long its answer is kept. The error catalogue and the description say so in words.

export const bodyKibMax = 256
export const urlKibMax = 8
export const headersKibMax = 16
export const nestingMax = 32
/** Names and values in a body, all levels together: the largest batch has well below half of it. */
export const bodyValuesMax = 2_000
/** Faults that a refusal names one by one. */
export const faultsNamedMax = 50
/** How long the answer to a request with an Idempotency-Key is kept. */
export const answersKeptHours = 24
