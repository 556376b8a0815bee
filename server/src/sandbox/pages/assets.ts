import { asset } from '../../pages/assets.ts'
import confirm from '../../pages/client/confirm.client.js' with { type: 'text' }
import copy from '../../pages/client/copy.client.js' with { type: 'text' }
import elements from '../../pages/client/elements.client.js' with { type: 'text' }
import tokens from '../../pages/client/tokens.client.js' with { type: 'text' }
import { joinScripts } from '../../pages/join-scripts.ts'
import requests from './client/requests.client.js' with { type: 'text' }
import send from './client/send.client.js' with { type: 'text' }
import styles from './sandbox.css' with { type: 'text' }

export const sandboxAssets = {
  css: asset('sandbox', 'css', styles),
  script: asset('sandbox', 'js', joinScripts([tokens, elements, confirm, requests, send])),
  /** For the host's own page, which has no script of a shop. */
  hostScript: asset('host', 'js', joinScripts([tokens, elements, copy, confirm, send])),
}
