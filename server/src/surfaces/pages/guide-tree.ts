import changelog from '../../../../CHANGELOG.md' with { type: 'text' }
import commandLine from '../../../../cli/README.md' with { type: 'text' }
import configuration from '../../../../docs/configuration.md' with { type: 'text' }
import debian from '../../../../docs/debian.md' with { type: 'text' }
import operating from '../../../../docs/operating.md' with { type: 'text' }
import sdk from '../../../../sdk/README.md' with { type: 'text' }
import agents from './guides/agents.md' with { type: 'text' }
import conditional from './guides/conditional-requests.md' with { type: 'text' }
import deprecation from './guides/deprecation.md' with { type: 'text' }
import errors from './guides/errors.md' with { type: 'text' }
import eventDeliveries from './guides/event-deliveries.md' with { type: 'text' }
import events from './guides/events.md' with { type: 'text' }
import goLive from './guides/go-live.md' with { type: 'text' }
import retries from './guides/idempotent-retries.md' with { type: 'text' }
import importing from './guides/import.md' with { type: 'text' }
import keys from './guides/keys.md' with { type: 'text' }
import limits from './guides/limits.md' with { type: 'text' }
import orders from './guides/orders.md' with { type: 'text' }
import pagination from './guides/pagination.md' with { type: 'text' }
import stock from './guides/pets-and-stock.md' with { type: 'text' }
import quickstart from './guides/quickstart.md' with { type: 'text' }
import requests from './guides/requests.md' with { type: 'text' }
import rotateKeys from './guides/rotate-keys.md' with { type: 'text' }
import testing from './guides/testing.md' with { type: 'text' }
import tutorial from './guides/tutorial.md' with { type: 'text' }
import webhooks from './guides/webhooks.md' with { type: 'text' }
import { fromRepository } from './repository-document.ts'

export interface Guide {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly text: string
}

/** A group of guides, and pages that belong to it but are no guides. */
interface Part {
  readonly title: string
  readonly links: readonly { readonly path: string; readonly title: string; readonly summary: string }[]
  readonly guides: readonly Guide[]
}

/** A guide begins with its title and a paragraph that says what it is for. */
function readGuide([name, source]: [string, string]): Guide {
  const [, title = '', summary = '', text = ''] = /^# (.+)\n\n([^\n]+(?:\n[^\n]+)*)\n\n([\s\S]*)$/.exec(source) ?? []
  return { name, title, summary: summary.replaceAll('\n', ' ').replaceAll('`', ''), text }
}

const part = (title: string, sources: Readonly<Record<string, string>>, links: Part['links'] = []): Part => ({
  title,
  links,
  guides: Object.entries(sources).map(readGuide),
})

/** The guides as readers look for them: start, understand, do, look up, operate. */
export const guideTree: readonly Part[] = [
  part('Start', { quickstart, tutorial }),
  part('Concepts', { 'pets-and-stock': stock, orders, keys, limits, events }),
  part('How-to', {
    pagination,
    'idempotent-retries': retries,
    'conditional-requests': conditional,
    webhooks,
    import: importing,
    'rotate-keys': rotateKeys,
    testing,
    'go-live': goLive,
    agents,
  }),
  part(
    'Reference',
    {
      errors,
      requests,
      'event-deliveries': eventDeliveries,
      sdk: fromRepository(sdk, 'SDK'),
      'command-line': fromRepository(commandLine, 'Command line'),
      configuration: fromRepository(configuration, 'Configuration'),
      deprecation,
      changelog: fromRepository(changelog, 'Changelog'),
    },
    [
      { path: '/docs', title: 'API', summary: 'Every operation, with a form to try it.' },
      { path: '/errors', title: 'Error codes', summary: 'Every error code, what it means and how to fix it.' },
    ],
  ),
  part('Operate', { operating: fromRepository(operating, 'Operate'), debian: fromRepository(debian, 'Run on Debian') }),
]

/** Guides that were renamed or split: their links still work. */
export const movedGuides: Readonly<Record<string, string>> = { 'orders-and-stock': 'pets-and-stock' }
