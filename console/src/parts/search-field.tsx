import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { param, setParams } from '../router.ts'

const typingMs = 200

/** Searches as you type. The address follows, without a history entry per letter. */
export function SearchField({ label, name = 'q' }: { label: string; name?: string }) {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const value = param(name)
  /** What this field has put into the address. */
  const sent = useRef(value)
  // At once: later, the field may have sent more.
  useLayoutEffect(() => {
    // Back, forward and links change the address, too, wherever the focus is.
    if (value === sent.current) return
    sent.current = value
    clearTimeout(timer.current)
    if (field.current) field.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <input
      ref={field}
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      maxLength={200}
      onInput={(event) => {
        const typed = event.currentTarget.value
        clearTimeout(timer.current)
        timer.current = setTimeout(() => {
          sent.current = typed.trim()
          setParams({ [name]: sent.current }, { replace: true })
        }, typingMs)
      }}
    />
  )
}
