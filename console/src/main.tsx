import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { renewKeptKey } from './kept-key.ts'
import { sendPendingOnLeaving } from './pending.ts'
import { listenForNavigation, path } from './router.ts'
import { askOnUnload } from './unsaved.ts'

listenForNavigation()
sendPendingOnLeaving()
askOnUnload()
effect(() => {
  path.value
  renewKeptKey()
})
const root = document.getElementById('console')
if (root) render(<App />, root)
