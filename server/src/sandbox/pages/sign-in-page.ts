import type { Shop } from '../../platform/compose/shop.ts'
import { html } from '../../surfaces/pages/html.ts'
import { hostDocument } from './host-page.ts'

/** Asks a browser for a key, at the address of the page that it opens. */
export const signInPage = (shop: Shop, baseUrl: string, path: string): string =>
  hostDocument(shop, baseUrl, {
    title: 'Sign in',
    body: (root) => html`<h1>Sign in</h1>
<p class="lead">This host needs its key, the one in <code>ADMIN_API_KEY</code>. For the screens of one sandbox, the key of that sandbox is enough.</p>
<form class="inline" data-send="POST ${root}${path}/sign-in">
<label>Key <input name="key" type="password" autocomplete="current-password" required></label>
<button type="submit">Sign in</button>
</form>
<p role="status" class="outcome"></p>`,
  })
