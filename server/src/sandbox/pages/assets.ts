import { asset } from '../../surfaces/pages/assets.ts'
import confirm from '../../surfaces/pages/client/confirm.client.js' with { type: 'text' }
import copy from '../../surfaces/pages/client/copy.client.js' with { type: 'text' }
import elements from '../../surfaces/pages/client/elements.client.js' with { type: 'text' }
import tokens from '../../surfaces/pages/client/tokens.client.js' with { type: 'text' }
import { joinScripts } from '../../surfaces/pages/join-scripts.ts'
import requests from './client/requests.client.js' with { type: 'text' }
import send from './client/send.client.js' with { type: 'text' }
import styles from './sandbox.css' with { type: 'text' }

export const sandboxAssets = {
  css: asset('sandbox', 'css', styles),
  script: asset('sandbox', 'js', joinScripts([tokens, elements, confirm, requests, send])),
  /** For the host's own page, which has no script of a shop. */
  hostScript: asset('host', 'js', joinScripts([tokens, elements, copy, confirm, send])),
}
