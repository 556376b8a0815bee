const revokeMs = 10_000

/** Saves a file that was made here. */
export function saveFile(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), revokeMs)
}
