// How long a bench takes. The defaults are for an idle machine; short settings to check that it works:
// BENCH_PROCESSES=1 BENCH_ROUNDS=1 BENCH_SECONDS=1 BENCH_WARM_UPS=0
const { BENCH_PROCESSES, BENCH_ROUNDS, BENCH_SECONDS, BENCH_WARM_UPS } = process.env

/** Processes per server, one after the other: compilation differs between processes, by up to 3 µs per request. */
export const processes = Number(BENCH_PROCESSES ?? 2)
export const rounds = Number(BENCH_ROUNDS ?? 3)
export const seconds = Number(BENCH_SECONDS ?? 2)
/** Code is recompiled until it has run some 170,000 times. Twice, because each kind of work changes how the shared code is compiled. */
export const warmUps = Number(BENCH_WARM_UPS ?? 2)
export const warmUpSeconds = 5 * seconds
/** Before each measurement: a server that was idle for a minute is slower at first. */
export const leadInSeconds = Math.max(1, seconds / 2)
export const say = (text: string) => process.stdout.write(`${text}\n`)
