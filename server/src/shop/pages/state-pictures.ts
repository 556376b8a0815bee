import { arrow, diagram, note, state } from '../../platform/lib/diagram.ts'

/** How a pet's status follows its stock, and how it is held and released by hand. */
export const statusPicture = diagram(
  'tip-status',
  398,
  'Unless it is on hold, a pet changes from available to pending when the last one is ordered, from pending to sold when that order is completed, from available to sold when none is left and no order is open, and back to available when stock is added or an order is cancelled. A pet is on hold from when its status is set to pending or sold against the stock, until it is set to the status that matches the stock.',
  [
    '<rect class="frame" x="1" y="1" width="398" height="298" rx="12"/>',
    state('available', 10, 20),
    state('pending', 280, 20),
    state('sold', 145, 238),
    arrow('M120 33H278'),
    note('last one ordered', 200, 24, 'middle'),
    arrow('M280 52H122'),
    note('stock added,', 200, 70, 'middle'),
    note('or order cancelled', 200, 87, 'middle'),
    arrow('M320 64 236 236'),
    note('order completed', 392, 172, 'end'),
    arrow('M41 64 158 242'),
    note('none left,', 10, 160, 'start'),
    note('no open order', 10, 177, 'start'),
    arrow('M190 238 89 66'),
    note('stock added', 158, 160, 'start'),
    state('on hold', 145, 350),
    arrow('M180 299V348'),
    note('set to pending or sold', 172, 320, 'end'),
    note('against the stock', 172, 337, 'end'),
    arrow('M220 350V301'),
    note('set to the status', 228, 320, 'start'),
    note('that matches the stock', 228, 337, 'start'),
  ],
)

/** The life of an order. */
export const orderPicture = diagram(
  'tip-order',
  170,
  'An order is placed open and takes stock. It can be completed, or cancelled, which returns the stock.',
  [
    state('open', 95, 62),
    state('completed', 285, 10),
    state('cancelled', 285, 114),
    arrow('M5 84H93'),
    note('placed:', 46, 58, 'middle'),
    note('takes stock', 46, 75, 'middle'),
    arrow('M205 78C240 74 245 34 283 32'),
    note('completed', 236, 38, 'end'),
    arrow('M205 90C240 94 245 134 283 136'),
    note('cancelled:', 236, 142, 'end'),
    note('returns stock', 236, 159, 'end'),
  ],
)
