const now = performance.now.bind(performance)
let skippedMs = 0
performance.now = () => now() + skippedMs

/** Lets this much running time pass for everything in this process: heartbeats and the trust in caches are measured by it. */
export function skipTime(ms: number): void {
  skippedMs += ms
}
