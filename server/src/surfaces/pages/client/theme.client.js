import { page } from './elements.client.js'

// ---- Light or dark: the system's choice, until the button is pressed.

const systemTheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

document.querySelector('.theme').addEventListener('click', () => {
  const theme = (page.dataset.theme ?? systemTheme()) === 'dark' ? 'light' : 'dark'
  if (theme === systemTheme()) {
    delete page.dataset.theme
    localStorage.removeItem('petstore.theme')
  } else {
    page.dataset.theme = theme
    localStorage.setItem('petstore.theme', theme)
  }
})
