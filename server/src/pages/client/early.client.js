// Runs before the page is drawn, so that nothing moves afterwards: which language the reader chose for samples.
// Pages without scripts have no such mark, and show all languages.
document.documentElement.dataset.code = localStorage.getItem('petstore.language') ?? 'curl'
