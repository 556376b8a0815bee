import type { Prompt } from '../platform/compose/content.ts'

export const prompts: readonly Prompt[] = [
  {
    name: 'restock',
    title: 'Restock what runs low',
    description: 'Finds pets with little stock and proposes what to add.',
    arguments: [
      {
        name: 'maxQuantity',
        description: 'Up to how many in stock counts as low; the setting of the shop by default.',
      },
    ],
    uses: ['getStoreSettings', 'listInventory', 'getPetProfile', 'listMovements', 'adjustInventory'],
    text: ({ maxQuantity }, tool) =>
      `Find what runs low in the shop and propose a restock.

1. Call ${tool('listInventory')} with \`maxQuantity\` ${maxQuantity ?? `as \`lowStockMax\` of ${tool('getStoreSettings')}`}, and follow \`nextCursor\` to the end.
2. For each pet, call ${tool('getPetProfile')} for its name, and ${tool('listMovements')} to see how fast it sells. A pet that is \`held\` was taken out of sale by a person: leave it out and say so.
3. Show a table: pet, in stock, sold lately, proposed addition, why.
4. Ask me. Only for what I confirm, call ${tool('adjustInventory')} with a positive \`delta\`, a short \`reason\`, and one \`idempotencyKey\` for each pet.`,
  },
  {
    name: 'explain_rejected_order',
    title: 'Find out why an order was rejected',
    description: 'Explains a rejected order from the state of the shop, and says what would work.',
    arguments: [
      { name: 'petId', description: 'The pet that was ordered.', required: true },
      { name: 'code', description: 'The error code of the response, if known.' },
    ],
    uses: ['getPetProfile', 'listMovements', 'listOrders'],
    text: ({ petId = '', code = 'unknown' }, tool) =>
      `An order for pet ${petId} was rejected with the code: ${code}. Find out why.

1. Call ${tool('getPetProfile')} with \`petId\` ${petId}: is it \`available\`, how many are in stock, is it \`held\`?
2. Call ${tool('listMovements')} and ${tool('listOrders')} with the same \`petId\`: who took the stock, and when?
3. Read the resource with the error catalogue for what the code means.
4. Say in two sentences why it was rejected, then what would work now: a smaller quantity, another pet, or waiting. Change nothing.`,
  },
  {
    name: 'explain_ban',
    title: 'Find out why a key was banned',
    description: 'Explains a temporary ban from the limits and the usage of the key.',
    arguments: [],
    uses: ['getLimits', 'getUsage'],
    text: (_, tool) =>
      `Find out whether this API key is banned, and why.

1. Call ${tool('getLimits')}, which works during a ban: plan, what is left, \`ban\` with its end and level.
2. If the ban is over, call ${tool('getUsage')} per hour for the last day: when were requests rejected (\`limited\`), and how many?
3. Say when the ban ends, what the client did wrong (it kept sending after 429), and how to avoid the next one: wait as long as \`retryAfterSeconds\` says. Each new ban lasts twice as long.`,
  },
  {
    name: 'what_happened_today',
    title: 'What happened today',
    description: 'Summarizes the changes of the day.',
    arguments: [],
    uses: ['getStoreSummary', 'listEvents', 'listInventory'],
    text: (_, tool) =>
      `Tell me what happened in the shop today (UTC).

1. Call ${tool('getStoreSummary')} for the figures of the last 24 hours.
2. Call ${tool('listEvents')} with \`from\` at the start of today for what was done, and follow \`nextCursor\` to the end.
3. Call ${tool('listInventory')} with the \`lowStockMax\` of these figures as \`maxQuantity\` for what is left low.
4. Write a short report: orders placed, completed and cancelled, what sold, what is low, anything unusual. Numbers only from the results.`,
  },
]
