import { render } from 'preact'
import { App } from './app.tsx'
import { listenForNavigation } from './router.ts'
import { sendDeletionsOnLeaving } from './undo.ts'

listenForNavigation()
sendDeletionsOnLeaving()
const root = document.getElementById('console')
if (root) render(<App />, root)
