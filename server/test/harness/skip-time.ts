/** Lets this much running time pass for everything in this process: heartbeats and the trust in caches are measured by it. */
export function skipTime(ms: number): void {
  const now = performance.now.bind(performance)
  performance.now = () => now() + ms
}
