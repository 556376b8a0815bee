/** Long enough to wait for the rate limit, or for a service that restarts. */
export const patience = { totalMs: 10 * 60 * 1000, attemptsMax: Number.POSITIVE_INFINITY }
