import type { LimitStatus, UsageEntry } from '@petstore/sdk'
import type { Command } from 'commander'
import { declareCalls } from '../calls.ts'
import { toJson } from '../controls.ts'
import { withExamples } from '../examples.ts'
import type { Terminal } from '../terminal.ts'
import { connect, findKey, serviceUrl } from './connect.ts'
import { parseInteger } from './options.ts'
import { type Actions, addActions } from './resource.ts'
import { outputOf } from './show.ts'

// About the key in use: who it is, what it may still do, and what it did.

const limits: Actions<LimitStatus['windows'][number]> = {
  columns: [
    ['WINDOW', ({ name }) => name],
    ['LIMIT', ({ limit }) => limit],
    ['REMAINING', ({ remaining }) => remaining],
    ['RESETS', ({ reset }) => new Date(reset * 1000).toISOString()],
  ],
  actions: [
    {
      name: 'limits',
      description: 'Show how many requests your key has left, and its ban if there is one. Costs none.',
      operation: 'getLimits',
      run: (shop) => shop.limits.get(),
      rows: ({ windows }: LimitStatus) => windows,
      footer: ({ plan, ban }: LimitStatus) =>
        `Plan ${plan}.${ban ? ` Banned until ${ban.until} (level ${ban.level}).` : ''}\n`,
      examples: [['petstore limits', 'before a large import']],
    },
  ],
}

const usage: Actions<UsageEntry> = {
  columns: [
    ['FROM', ({ from }) => from],
    ['ALLOWED', ({ allowed }) => allowed],
    ['LIMITED', ({ limited }) => limited],
    ['ERRORS', ({ errors }) => errors],
    ['STRIKES', ({ strikes }) => strikes],
  ],
  actions: [
    {
      name: 'usage',
      description: 'Count the requests of your key by hour or by day.',
      operation: 'getUsage',
      options: [
        ['--from <time>', 'the first hour or day'],
        ['--to <time>', 'before this time; now unless given'],
        ['--per <unit>', 'the unit'],
        ['--key-id <id>', 'of another key; needs keys:manage', parseInteger],
        ['--all-keys', 'of all keys together; needs keys:manage'],
      ],
      run: (shop, { fields }) => shop.usage.get(fields),
      rows: (entries: readonly UsageEntry[]) => entries,
      examples: [
        ['petstore usage --per day', 'the last 30 days'],
        ['petstore usage --all-keys', 'all requests of the last 24 hours'],
      ],
    },
  ],
}

export function addAccount(program: Command, terminal: Terminal): void {
  const whoami = declareCalls(program.command('whoami'), 'getLimits')
    .description('Show the service and the key in use, with its plan and scopes. Costs no request.')
    .action(async () => {
      const url = serviceUrl(terminal, whoami)
      const { apiKey, source } = findKey(url, terminal)
      const { keyId, plan, scopes } = await connect(terminal, whoami).limits.get()
      const facts = { url, keyId, prefix: apiKey.slice(0, 8), source, plan, scopes }
      const lines = `Service  ${url}\nKey      ${keyId}, ${facts.prefix}…, from ${source}\nPlan     ${plan}\nScopes   ${scopes.join(' ')}\n`
      await terminal.write(outputOf(terminal, whoami).json ? `${toJson(facts, 2)}\n` : lines)
    })
  withExamples(whoami, ['petstore whoami', 'which key is used, and what it may do'])
  addActions(program, terminal, limits)
  addActions(program, terminal, usage)
}
