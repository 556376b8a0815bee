const slices = 10

/**
 * Resolves with `promise`, or rejects with `timeoutError()` after `ms` during which this process was running. A stopped or busy process
 * leaves responses unread, so the time is counted in slices, and a slice counts only after a pass of the event loop.
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>, timeoutError: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  const deadline = new Promise<never>((_, reject) => {
    let left = slices
    const nextSlice = () => {
      if (hasEnded) return
      if (left-- === 0) reject(timeoutError())
      else timer = setTimeout(() => setImmediate(nextSlice), ms / slices)
    }
    nextSlice()
  })
  try {
    return await Promise.race([promise, deadline])
  } finally {
    hasEnded = true
    clearTimeout(timer)
  }
}
