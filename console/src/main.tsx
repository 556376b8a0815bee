import { render } from 'preact'
import { App } from './app.tsx'
import { listenForNavigation } from './router.ts'
import { sendDeletionsOnLeaving } from './undo.ts'

listenForNavigation()
sendDeletionsOnLeaving()
const place = document.getElementById('console')
if (place) render(<App />, place)
