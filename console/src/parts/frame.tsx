import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { connection } from '../connection.ts'
import { listenForEvents } from '../events.ts'
import { iconUrl } from '../place.ts'
import { hrefOf, path } from '../router.ts'
import { screens } from '../screens.ts'
import { may, session, signOut } from '../session.ts'
import { sendAllDeletions } from '../undo.ts'
import { Icon } from './icon.tsx'
import { Meter } from './meter.tsx'
import { openPalette, Palette } from './palette.tsx'
import { Empty } from './states.tsx'

/** Header, navigation and the screen that the address names. */
export function Frame() {
  const menu = useSignal(false)
  const { store: client } = session.value ?? {}
  useEffect(listenForEvents, [client])
  const here = path.value
  useEffect(() => {
    menu.value = false
  }, [here])
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="icon menu-button"
          aria-label="Navigation"
          aria-expanded={menu.value}
          onClick={() => {
            menu.value = !menu.value
          }}
        >
          <Icon name="menu" />
        </button>
        <a class="brand" href={hrefOf('/')}>
          <img src={iconUrl} width="22" height="22" alt="" /> <span>Pet Store</span>
        </a>
        <button type="button" class="jump" onClick={openPalette}>
          <Icon name="search" /> <span>Search or do something</span> <kbd>Ctrl K</kbd>
        </button>
        <Meter />
      </header>
      <div class={menu.value ? 'side open' : 'side'}>
        <Navigation />
        <Account />
      </div>
      <div class="page">
        <ConnectionBanner />
        <Current />
      </div>
      <Palette />
    </div>
  )
}

function Navigation() {
  const seen = screens.filter(({ scope }) => !scope || may(scope))
  const groups = [...new Set(seen.map(({ group }) => group))]
  const here = path.value
  return (
    <nav aria-label="Console">
      {groups.map((group) => (
        <div key={group}>
          {group && <h2>{group}</h2>}
          <ul>
            {seen
              .filter((screen) => screen.group === group)
              .map(({ path: to, name, icon }) => {
                const isHere = here === to || (to !== '/' && here.startsWith(`${to}/`))
                return (
                  <li key={to}>
                    <a href={hrefOf(to)} aria-current={isHere ? 'page' : undefined}>
                      <Icon name={icon} /> {name}
                    </a>
                  </li>
                )
              })}
          </ul>
        </div>
      ))}
    </nav>
  )
}

function Account() {
  const { prefix = '', status } = session.value ?? {}
  return (
    <section class="account" aria-label="Your key">
      <p>
        <code>{prefix}…</code>
        <span class="soft">{status?.plan}</span>
      </p>
      <button
        type="button"
        class="quiet small"
        onClick={() => {
          sendAllDeletions()
          signOut()
        }}
      >
        Sign out
      </button>
    </section>
  )
}

const words = {
  good: '',
  offline: 'No connection to the service. What you typed is kept; this goes on by itself when it answers again.',
  unavailable: 'The service cannot work right now. What you typed is kept; this goes on by itself when it can again.',
}

const ConnectionBanner = () => (
  <div role="status">{connection.value !== 'good' && <p class="banner">{words[connection.value]}</p>}</div>
)

function Current() {
  const [, first = '', id] = path.value.split('/')
  const screen = screens.find((one) => one.path === `/${first}`)
  const One = screen?.one
  const List = screen?.list
  useEffect(() => {
    document.title = `${screen?.name ?? 'Not found'}${id ? ` ${id}` : ''} · Pet Store console`
    // Whoever listens to the page is told where they are, unless the screen has put the focus somewhere itself.
    if (document.activeElement === document.body || document.activeElement?.closest('.side')) {
      document.querySelector<HTMLElement>('main h1')?.focus()
    }
  }, [path.value])
  const known = List && (id === undefined || (One && /^\d{1,16}$/.test(id)))
  if (!known) {
    return (
      <main id="main">
        <h1 tabIndex={-1}>There is no such screen</h1>
        <Empty title="The address names nothing here.">
          <a href={hrefOf('/')}>To the overview</a>
        </Empty>
      </main>
    )
  }
  if (screen.scope && !may(screen.scope)) {
    return (
      <main id="main">
        <h1 tabIndex={-1}>{screen.name}</h1>
        <Empty title="Your key may not see this.">
          <p>
            It needs the scope <code>{screen.scope}</code>.
          </p>
        </Empty>
      </main>
    )
  }
  return (
    <main id="main">{One && id !== undefined ? <One key={id} id={Number(id)} /> : <List key={screen.path} />}</main>
  )
}
