import type { Terminal } from '../terminal.ts'

const width = 24
const everyMs = 100

export interface ProgressBar {
  /** `part` of the whole from 0 to 1. */
  show(part: number, says: string): void
  end(): void
}

/** A line that draws itself anew, for a person who watches; nothing otherwise. */
export function progressBar({ isWatched, draw, now }: Terminal): ProgressBar {
  let shownAt = 0
  return {
    show(part, says) {
      if (!isWatched || now() - shownAt < everyMs) return
      shownAt = now()
      const done = Math.round(Math.min(1, Math.max(0, part)) * width)
      draw(`\r\x1b[K[${'#'.repeat(done)}${'-'.repeat(width - done)}] ${Math.floor(part * 100)} %  ${says}`)
    },
    end() {
      if (isWatched && shownAt > 0) draw('\r\x1b[K')
    },
  }
}
