// Sets the chosen sample language before the page is painted, so that nothing moves afterwards.
// Without JavaScript the attribute is missing and all languages are shown.
document.documentElement.dataset.code = localStorage.getItem('petstore.language') ?? 'curl'
