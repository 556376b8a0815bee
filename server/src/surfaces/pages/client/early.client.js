// Sets the chosen sample language and colours before the page is painted, so that nothing moves or flashes afterwards.
// Without JavaScript the attributes are missing: all languages are shown, in the colours of the system.
document.documentElement.dataset.code = localStorage.getItem('petstore.language') ?? 'curl'
if (localStorage.getItem('petstore.theme'))
  document.documentElement.dataset.theme = localStorage.getItem('petstore.theme')
