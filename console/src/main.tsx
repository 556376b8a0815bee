import { render } from 'preact'
import { App } from './app.tsx'
import { provideRandomUuid } from './random-uuid.ts'
import { listenForNavigation } from './router.ts'
import { sendDeletionsOnLeaving } from './undo.ts'

provideRandomUuid()
listenForNavigation()
sendDeletionsOnLeaving()
const place = document.getElementById('console')
if (place) render(<App />, place)
