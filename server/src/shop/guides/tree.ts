import changelog from '../../../../CHANGELOG.md' with { type: 'text' }
import commandLine from '../../../../cli/README.md' with { type: 'text' }
import backup from '../../../../docs/backup.md' with { type: 'text' }
import configuration from '../../../../docs/configuration.md' with { type: 'text' }
import debian from '../../../../docs/debian.md' with { type: 'text' }
import deploy from '../../../../docs/deploy.md' with { type: 'text' }
import glossary from '../../../../docs/glossary.md' with { type: 'text' }
import manyNodes from '../../../../docs/many-nodes.md' with { type: 'text' }
import monitor from '../../../../docs/monitor.md' with { type: 'text' }
import upgrade from '../../../../docs/upgrade.md' with { type: 'text' }
import sdkMethods from '../../../../sdk/METHODS.md' with { type: 'text' }
import sdk from '../../../../sdk/README.md' with { type: 'text' }
import type { GuideGroup, Guides } from '../../platform/compose/content.ts'
import { orderPicture, statusPicture } from '../pages/state-pictures.ts'
import { statusDiagram } from '../pets/status-diagram.ts'
import agents from './agents.md' with { type: 'text' }
import handleErrorsJavascript from './clients/handle-errors.mjs' with { type: 'text' }
import handleErrorsPython from './clients/handle-errors.py' with { type: 'text' }
import handleErrorsShell from './clients/handle-errors.sh' with { type: 'text' }
import retryJavascript from './clients/retry.mjs' with { type: 'text' }
import retryPython from './clients/retry.py' with { type: 'text' }
import retryShell from './clients/retry.sh' with { type: 'text' }
import conditional from './conditional-requests.md' with { type: 'text' }
import deprecation from './deprecation.md' with { type: 'text' }
import errors from './errors.md' with { type: 'text' }
import eventDeliveries from './event-deliveries.md' with { type: 'text' }
import events from './events.md' with { type: 'text' }
import goLive from './go-live.md' with { type: 'text' }
import handleErrors from './handle-errors.md' with { type: 'text' }
import retries from './idempotent-retries.md' with { type: 'text' }
import importing from './import.md' with { type: 'text' }
import keys from './keys.md' with { type: 'text' }
import limits from './limits.md' with { type: 'text' }
import orders from './orders.md' with { type: 'text' }
import pagination from './pagination.md' with { type: 'text' }
import stock from './pets-and-stock.md' with { type: 'text' }
import quickstart from './quickstart.md' with { type: 'text' }
import receiverJavascript from './receivers/receiver.mjs' with { type: 'text' }
import receiverPython from './receivers/receiver.py' with { type: 'text' }
import requests from './requests.md' with { type: 'text' }
import rotateKeys from './rotate-keys.md' with { type: 'text' }
import testingGitlab from './testing/gitlab-ci.yml' with { type: 'text' }
import testingNodeTest from './testing/node-test.mjs' with { type: 'text' }
import testingPytest from './testing/test_orders.py' with { type: 'text' }
import testingVitest from './testing/vitest.mjs' with { type: 'text' }
import testing from './testing.md' with { type: 'text' }
import tutorial from './tutorial.md' with { type: 'text' }
import webhooks from './webhooks.md' with { type: 'text' }

/** Documents of the repository that are also guides. */
const guideOf: Readonly<Record<string, string>> = {
  'backup.md': '/docs/guides/backup',
  'configuration.md': '/docs/guides/configuration',
  'debian.md': '/docs/guides/debian',
  'deploy.md': '/docs/guides/deploy',
  'many-nodes.md': '/docs/guides/many-nodes',
  'monitor.md': '/docs/guides/monitor',
  'upgrade.md': '/docs/guides/upgrade',
  'METHODS.md': '/docs/guides/sdk-methods',
  'README.md': '/docs/guides/sdk',
  '../docs/backup.md': '/docs/guides/backup',
}

/** A document of the repository as a guide: links to its other files and to other sites become text, or are removed if in brackets. */
const fromRepository = (source: string, title: string): string =>
  source
    .replace(/^# .+$/m, `# ${title}`)
    .replace(/\s\(\[[^\]]+\]\(([^)\s#]+)(?:#[^)\s]*)?\)\)/g, (all, file: string) => (guideOf[file] ? all : ''))
    .replace(/\[([^\]]+)\]\(([^)\s#]*)(#[^)\s]*)?\)/g, (_, text: string, file: string, anchor = '') => {
      const path = file === '' ? '' : guideOf[file]
      return path === undefined ? text : `[${text}](${path}${anchor})`
    })

/** The guides as readers look for them: start, understand, do, look up, operate. */
const groups: readonly GuideGroup[] = [
  { title: 'Start', guides: { quickstart, tutorial } },
  { title: 'Concepts', guides: { 'pets-and-stock': stock, orders, keys, limits, events } },
  {
    title: 'How-to',
    guides: {
      pagination,
      'handle-errors': handleErrors,
      'idempotent-retries': retries,
      'conditional-requests': conditional,
      webhooks,
      import: importing,
      'rotate-keys': rotateKeys,
      testing,
      'go-live': goLive,
      agents,
    },
  },
  {
    title: 'Reference',
    guides: {
      errors,
      requests,
      'event-deliveries': eventDeliveries,
      sdk: fromRepository(sdk, 'SDK'),
      'sdk-methods': fromRepository(sdkMethods, 'SDK methods'),
      'command-line': fromRepository(commandLine, 'Command line'),
      configuration: fromRepository(configuration, 'Configuration'),
      deprecation,
      glossary,
      changelog: fromRepository(changelog, 'Changelog'),
    },
    links: [
      { path: '/docs', title: 'API', summary: 'Every operation, and a form to try most of them.' },
      { path: '/errors', title: 'Error codes', summary: 'Every error code, what it means and how to fix it.' },
    ],
  },
  {
    title: 'Operate',
    guides: {
      deploy: fromRepository(deploy, 'Deploy'),
      debian: fromRepository(debian, 'Run on Debian'),
      'many-nodes': fromRepository(manyNodes, 'Many nodes'),
      upgrade: fromRepository(upgrade, 'Upgrade'),
      backup: fromRepository(backup, 'Back up and restore'),
      monitor: fromRepository(monitor, 'Monitor'),
    },
  },
]

/** What every guide with examples begins with. */
const setup = (
  baseUrl: string,
): string => `Set these once in your terminal. The examples need \`curl\` and \`jq\`. Responses are pretty-printed;
irrelevant headers and long lists are trimmed.

\`\`\`sh
export PETSTORE_URL=${baseUrl}
export PETSTORE_API_KEY=ps_your_key
\`\`\``

/** Programs in separate files, so that they are formatted and tested. */
const programs = Object.fromEntries(
  Object.entries({
    handleErrorsJavascript,
    handleErrorsPython,
    handleErrorsShell,
    receiverJavascript,
    receiverPython,
    retryJavascript,
    retryPython,
    retryShell,
    testingGitlab,
    testingNodeTest,
    testingPytest,
    testingVitest,
  }).map(([name, text]) => [name, text.trim()]),
)

export const guides: Guides = {
  groups,
  moved: { operating: 'deploy', 'orders-and-stock': 'pets-and-stock' },
  values: (baseUrl) => ({
    setup: setup(baseUrl),
    statusDiagram: statusPicture,
    orderDiagram: orderPicture,
    ...programs,
  }),
  markdownValues: { statusDiagram: `\`\`\`mermaid\n${statusDiagram()}\n\`\`\`` },
}
