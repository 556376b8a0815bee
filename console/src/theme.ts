import { signal } from '@preact/signals'

// The pages share this choice; their early script applies it before the first paint.

type Theme = 'light' | 'dark'

const storageName = 'petstore.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const systemTheme = (): Theme => (dark.matches ? 'dark' : 'light')
const read = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? systemTheme()

/** The colours in use: the system's, unless the user chose the other ones. */
export const theme = signal<Theme>(read())

dark.addEventListener('change', () => {
  theme.value = read()
})

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  if (next === systemTheme()) {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(storageName)
  } else {
    document.documentElement.dataset.theme = next
    localStorage.setItem(storageName, next)
  }
  theme.value = next
}
