import { languages } from './client/samples.client.js'
import { tokens } from './client/tokens.client.js'
import { type Html, html } from './html.ts'

/** What a language is called where it is not called by its own name. */
const grammars: Readonly<Record<string, string>> = { ts: 'typescript', sh: 'bash', shell: 'bash', curl: 'bash' }

const coloured = (code: string, language: string): Html[] =>
  tokens(code, grammars[language] ?? language).map(({ kind, text }) =>
    kind === undefined ? html`${text}` : html`<span class="${kind}">${text}</span>`,
  )

/** A block of code with its colours and a button that copies it. Lines that are too long scroll, by keyboard too. */
export const codeBlock = (code: string, language: string, attributes?: Html): Html =>
  html`<div class="code"${attributes}><pre tabindex="0"><code>${coloured(code, language)}</code></pre><button class="copy">Copy</button></div>`

/** The same in several languages. The reader's choice holds for all pages; without a script all of them are shown. */
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
