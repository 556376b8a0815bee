import { arrow, diagram, note } from '../../platform/lib/diagram.ts'

// What takes many words to say: who may send a request, what happens above a limit, and where an event goes.

const box = (text: string, x: number, y: number, wide: number, tall = 36) =>
  `<rect class="state" x="${x}" y="${y}" width="${wide}" height="${tall}" rx="8"/><text x="${x + wide / 2}" y="${y + tall / 2 + 5}" text-anchor="middle">${text}</text>`

const frame = (text: string, x: number, y: number, wide: number, tall = 36) =>
  `<rect class="frame" x="${x}" y="${y}" width="${wide}" height="${tall}" rx="8"/><text class="note" x="${x + wide / 2}" y="${y + tall / 2 + 5}" text-anchor="middle">${text}</text>`

const questions = [
  ['secret: is the key valid?', 401],
  ['plan: is there room?', 429],
  ['scopes: may it do this?', 403],
] as const

/** The questions that a request must pass, and the error of each. */
export const keysDiagram = diagram(
  'tip-keys',
  262,
  'Every request passes three checks: a valid key (else 401), room in its minute and day (else 429), the required scope (else 403).',
  [
    ...questions.flatMap(([question, error], index) => {
      const top = 8 + 72 * index
      return [
        box(question, 10, top, 230),
        arrow(`M240 ${top + 18}H298`),
        note(`no: ${error}`, 306, top + 23, 'start'),
        arrow(`M125 ${top + 36}V${top + 70}`),
        note('yes', 133, top + 58, 'start'),
      ]
    }),
    box('served', 70, 224, 110),
  ],
)

/** Two clients that reach their limit: one waits, the other carries on. */
export const limitsDiagram = (firstBan: string, longestBan: string): string =>
  diagram(
    'tip-limits',
    250,
    `A client that waits after a 429 is served again when the next minute begins. A client that continues to send collects strikes, and its key is banned: for ${firstBan} the first time, then for twice as long with each new ban.`,
    [
      note('A client that waits', 10, 18, 'start'),
      box('served', 10, 28, 90),
      frame('429, waits', 104, 28, 90),
      box('served', 198, 28, 90),
      frame('429, waits', 292, 28, 98),
      note('A client that continues to send', 10, 102, 'start'),
      box('served', 10, 112, 90),
      frame('429, strikes', 104, 112, 90),
      frame(`banned for ${firstBan}`, 198, 112, 192),
      arrow('M10 186H390'),
      note('minute 1', 57, 206, 'middle'),
      note('minute 2', 243, 206, 'middle'),
      note('time', 390, 206, 'end'),
      note(`Each new ban lasts twice as long, up to ${longestBan}.`, 10, 238, 'start'),
    ],
  )

/** From a change to those who are notified of it. */
export const eventDiagram = diagram(
  'tip-event',
  250,
  'A change and its event are stored in one transaction. From the event log, clients read events in pages with GET /events, follow them with GET /events/stream, or receive them through webhooks, which sign each event and retry until the receiver responds with 2xx.',
  [
    box('change', 10, 92, 84),
    arrow('M94 110H128'),
    box('event log', 130, 92, 90),
    note('one transaction', 115, 150, 'middle'),
    arrow('M220 104C240 96 236 34 258 30'),
    box('GET /events', 260, 12, 130),
    note('pages', 325, 64, 'middle'),
    arrow('M220 110H258'),
    box('/events/stream', 260, 92, 130),
    note('live', 325, 144, 'middle'),
    arrow('M220 116C240 124 236 186 258 190'),
    box('webhook', 260, 172, 130),
    note('signed, retried to your receiver', 390, 226, 'end'),
  ],
)
