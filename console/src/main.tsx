import { render } from 'preact'
import { App } from './app.tsx'
import { sendPendingOnLeaving } from './pending.ts'
import { listenForNavigation } from './router.ts'
import { askOnUnload } from './unsaved.ts'

listenForNavigation()
sendPendingOnLeaving()
askOnUnload()
const root = document.getElementById('console')
if (root) render(<App />, root)
