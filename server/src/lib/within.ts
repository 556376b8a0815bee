const slices = 10

/**
 * The result of `promise`, or the failure `late` when it takes longer than `ms` of this process's own running time. While the
 * process is stopped or busy, answers lie unread; so time counts in slices, each confirmed by a turn of the event loop.
 */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false
  const deadline = new Promise<never>((_, reject) => {
    let left = slices
    const turn = () => {
      if (ended) return
      if (left-- === 0) reject(late())
      else timer = setTimeout(() => setImmediate(turn), ms / slices)
    }
    turn()
  })
  try {
    return await Promise.race([promise, deadline])
  } finally {
    ended = true
    clearTimeout(timer)
  }
}
