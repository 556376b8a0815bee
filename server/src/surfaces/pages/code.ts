import { languages } from './client/samples.client.js'
import { tokens } from './client/tokens.client.js'
import { type Html, html } from './html.ts'

/** Aliases of languages. */
const grammars: Readonly<Record<string, string>> = { js: 'javascript', sh: 'bash', curl: 'bash' }

const colourCode = (code: string, language: string): Html[] =>
  tokens(code, grammars[language] ?? language).map(({ kind, text }) =>
    kind === undefined ? html`${text}` : html`<span class="${kind}">${text}</span>`,
  )

/** A highlighted code block with a copy button. Long lines scroll, also by keyboard. */
export const codeBlock = (code: string, language: string, attributes?: Html): Html =>
  html`<div class="code"${attributes}><pre tabindex="0"><code>${colourCode(code, language)}</code></pre><button class="copy">Copy</button></div>`

/** One sample in several languages. The reader's choice applies to all pages; without JavaScript all are shown. */
export const codeInLanguages = (samples: readonly { readonly language: string; readonly code: string }[]): Html =>
  html`<div class="sample">
<div class="tabs" role="group" aria-label="Language">${languages
    .filter(({ id }) => samples.some(({ language }) => language === id))
    .map(
      ({ id, name }) =>
        html`<button data-choose="${id}" aria-pressed="${id === 'curl' ? 'true' : 'false'}">${name}</button>`,
    )}</div>
${samples.map(({ language, code }) => codeBlock(code, language, html` data-in-language="${language}"`))}
</div>`
