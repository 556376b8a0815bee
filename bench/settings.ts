// How long a bench takes. The settings of a quiet machine unless told otherwise; short ones show that it works:
// BENCH_PROCESSES=1 BENCH_ROUNDS=1 BENCH_SECONDS=1 BENCH_WARM_UPS=0
const { BENCH_PROCESSES, BENCH_ROUNDS, BENCH_SECONDS, BENCH_WARM_UPS } = process.env

/** Of each server, one after the other, with rounds of their own: how code is compiled differs from process to process, by up to 3 µs a request. */
export const processes = Number(BENCH_PROCESSES ?? 2)
export const rounds = Number(BENCH_ROUNDS ?? 3)
export const seconds = Number(BENCH_SECONDS ?? 2)
/** Code is recompiled until it has run some 170,000 times. Twice, because what one kind of work has taught may not fit the next. */
export const warmUps = Number(BENCH_WARM_UPS ?? 2)
export const warmUpSeconds = 5 * seconds
/** Before each measurement: a server that stood idle for a minute takes longer at first. */
export const leadInSeconds = Math.max(1, seconds / 2)
export const say = (text: string) => process.stdout.write(`${text}\n`)
