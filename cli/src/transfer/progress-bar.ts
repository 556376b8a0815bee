import type { Terminal } from '../terminal.ts'

const width = 24
const redrawMs = 100

export interface ProgressBar {
  /** `part` of the whole, from 0 to 1. */
  update(part: number, label: string): void
  clear(): void
  /** Leaves the bar as it is, and ends its line. */
  end(): void
}

/** A progress bar on one line of the terminal; does nothing if no one is watching. */
export function progressBar({ isWatched, draw, now }: Terminal): ProgressBar {
  let drawnAt = 0
  return {
    update(part, label) {
      if (!isWatched || now() - drawnAt < redrawMs) return
      drawnAt = now()
      const done = Math.round(Math.min(1, Math.max(0, part)) * width)
      draw(`\r\x1b[K[${'#'.repeat(done)}${'-'.repeat(width - done)}] ${Math.floor(part * 100)} %  ${label}`)
    },
    clear() {
      if (isWatched && drawnAt > 0) draw('\r\x1b[K')
    },
    end() {
      if (isWatched && drawnAt > 0) draw('\n')
    },
  }
}
