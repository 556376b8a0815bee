import type { StoreSummary } from '@petstore/sdk'
import type { Command } from 'commander'
import { stripControls } from '../controls.ts'
import type { Terminal } from '../terminal.ts'
import { parseInteger } from './options.ts'
import { type Actions, addActions } from './resource.ts'

const summary: Actions<StoreSummary['hours'][number]> = {
  columns: [
    ['FROM', ({ from }) => from],
    ['PLACED', ({ placed }) => placed],
    ['COMPLETED', ({ completed }) => completed],
    ['CANCELLED', ({ cancelled }) => cancelled],
    ['SOLD', ({ unitsSold }) => unitsSold],
  ],
  actions: [
    {
      name: 'summary',
      description: 'Show the shop in figures: orders by hour or day, pets by status, low stock.',
      operation: 'getStoreSummary',
      options: [
        ['--hours <count>', 'how many hours to cover; 24 unless given', parseInteger],
        ['--days <count>', 'show this many days instead, up to 30', parseInteger],
      ],
      run: (shop, { fields }) => shop.store.summary(fields),
      rows: ({ hours, days = hours }: StoreSummary) => days,
      footer: formatFooter,
      examples: [
        ['petstore summary --hours 8', 'the last eight hours'],
        ['petstore summary --days 7', 'the last seven days'],
      ],
    },
  ],
}

function formatFooter(summary: StoreSummary): string {
  const { openOrders, petsByStatus, lowStock, lowStockMax, outOfStock, bannedKeys = [], failingWebhooks = [] } = summary
  const { available, pending, sold } = petsByStatus
  const attention = [
    ...bannedKeys.map(({ id, name }) => `Key ${id} (${stripControls(name)}) is banned.`),
    ...failingWebhooks.map(({ id, url }) => `Webhook ${id} (${stripControls(url)}) is failing.`),
  ]
  const figures = `Open orders: ${openOrders}. Pets: ${available} available, ${pending} pending, ${sold} sold; ${lowStock} low in stock (${lowStockMax} or fewer), ${outOfStock} of them with none.`
  return `${[figures, ...attention].join('\n')}\n`
}

export function addSummary(program: Command, terminal: Terminal): void {
  addActions(program, terminal, summary)
}
