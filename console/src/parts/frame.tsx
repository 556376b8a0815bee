import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { docsUrl, iconUrl, siteLinks } from '../base-url.ts'
import { connection } from '../connection.ts'
import { listenForEvents } from '../events.ts'
import { hrefOf, path } from '../router.ts'
import { screens } from '../screens.ts'
import { hasScope, session, signOut } from '../session.ts'
import { switchTheme, theme } from '../theme.ts'
import { confirmLoss } from '../unsaved.ts'
import { Icon } from './icon.tsx'
import { IconButton } from './icon-button.tsx'
import { Meter } from './meter.tsx'
import { openPalette, Palette } from './palette.tsx'
import { openShortcuts, Shortcuts } from './shortcuts.tsx'
import { Empty } from './states.tsx'
import { Toasts } from './toasts.tsx'

/** Header, navigation and the current screen. */
export function Frame() {
  const isMenuOpen = useSignal(false)
  const { store: client } = session.value ?? {}
  // Before the effects of the screen, which load its data: what happens after that must be in the stream.
  useLayoutEffect(listenForEvents, [client])
  const here = path.value
  useEffect(() => {
    isMenuOpen.value = false
  }, [here])
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <button
          type="button"
          class="icon menu-button"
          aria-label="Navigation"
          aria-expanded={isMenuOpen.value}
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value
          }}
        >
          <Icon name="menu" />
        </button>
        <a class="brand" href={hrefOf('/')}>
          <img src={iconUrl} width="22" height="22" alt="" /> <span>Pet Store</span>
        </a>
        <button type="button" class="jump" onClick={openPalette}>
          <Icon name="search" /> <span>Search or run a command</span> <kbd>Ctrl K</kbd>
        </button>
        <Meter />
      </header>
      <div class={isMenuOpen.value ? 'side open' : 'side'}>
        <Navigation />
        <Toasts />
        <HelpLinks />
        <Account />
      </div>
      <div class="page">
        <ConnectionBanner />
        <Current />
      </div>
      <Palette />
      <Shortcuts />
    </div>
  )
}

function Navigation() {
  const visible = screens.filter(({ scope }) => !scope || hasScope(scope))
  const groups = [...new Set(visible.map(({ group }) => group))]
  const here = path.value
  return (
    <nav aria-label="Console">
      {groups.map((group) => (
        <div key={group}>
          {group && <h2>{group}</h2>}
          <ul>
            {visible
              .filter((screen) => screen.group === group)
              .map(({ path: to, name, icon }) => {
                const isHere = here === to || (to !== '/' && here.startsWith(`${to}/`))
                return (
                  <li key={to}>
                    <a class="side-link" href={hrefOf(to)} aria-current={isHere ? 'page' : undefined}>
                      <Icon name={icon} /> {name}
                    </a>
                  </li>
                )
              })}
          </ul>
        </div>
      ))}
      {siteLinks.length > 0 && (
        <div>
          <h2>More</h2>
          <ul>
            {siteLinks.map(({ href, name }) => (
              <li key={href}>
                <a class="side-link" href={href}>
                  <Icon name="outside" /> {name}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </nav>
  )
}

function HelpLinks() {
  const other = theme.value === 'dark' ? 'light' : 'dark'
  return (
    <div class="help-links">
      <a class="side-link" href={docsUrl}>
        <Icon name="book" /> Documentation
      </a>
      <IconButton icon="help" label="Keyboard shortcuts" title="Keyboard shortcuts: ?" onClick={openShortcuts} />
      <IconButton icon={theme.value === 'dark' ? 'sun' : 'moon'} label={`Use ${other} colours`} onClick={switchTheme} />
    </div>
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
      <button type="button" class="quiet small" onClick={() => confirmLoss(signOut)}>
        Sign out
      </button>
    </section>
  )
}

const messages = {
  good: '',
  offline: 'No connection to the service. Your input is not lost; the console reconnects automatically.',
  unavailable: 'The service is unavailable. Your input is not lost; the console retries automatically.',
}

const ConnectionBanner = () => (
  <div role="status">{connection.value !== 'good' && <p class="banner">{messages[connection.value]}</p>}</div>
)

function Current() {
  const [, first = '', id] = path.value.split('/')
  const screen = screens.find((one) => one.path === `/${first}`)
  const One = screen?.one
  const List = screen?.list
  useEffect(() => {
    document.title = `${screen?.name ?? 'Not found'}${id ? ` ${id}` : ''} · Pet Store console`
    // Focus the heading for screen readers, unless the screen has set the focus itself.
    if (document.activeElement === document.body || document.activeElement?.closest('.side')) {
      document.querySelector<HTMLElement>('main h1')?.focus()
    }
  }, [path.value])
  const exists = List && (id === undefined || (One && /^\d{1,16}$/.test(id)))
  if (!exists) {
    return (
      <main id="main">
        <h1 tabIndex={-1}>Page not found</h1>
        <Empty title="There is no page at this URL.">
          <a href={hrefOf('/')}>Go to the overview</a>
        </Empty>
      </main>
    )
  }
  if (screen.scope && !hasScope(screen.scope)) {
    return (
      <main id="main">
        <h1 tabIndex={-1}>{screen.name}</h1>
        <Empty title="Your key cannot view this.">
          <p>
            This needs the scope <code>{screen.scope}</code>.
          </p>
        </Empty>
      </main>
    )
  }
  return (
    <main id="main">{One && id !== undefined ? <One key={id} id={Number(id)} /> : <List key={screen.path} />}</main>
  )
}
