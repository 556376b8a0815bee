// Inline SVG paths of 16 by 16, so that nothing is loaded.
const shapes = {
  close: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2 4h12M2 8h12M2 12h12',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14',
  plus: 'M8 3v10M3 8h10',
  edit: 'M3 13l.6-3L11 2.6 13.4 5 6 12.4z',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 5',
  warning: 'M8 2.5L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  sort: 'M5 6.5l3-3 3 3M5 9.5l3 3 3-3',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  overview: 'M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  pet: 'M8 8.2c2 0 3.6 2 3.6 3.5 0 1.200-1 1.800-1.900 1.800-.7 0-1-.4-1.700-.4s-1 .4-1.700.4c-.9 0-1.900-.6-1.900-1.800C4.400 10.200 6 8.200 8 8.200zM3.200 6.800v.4M6.200 3.400v.6M9.800 3.400v.6M12.800 6.800v.4',
  category: 'M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 9h4.500v4.500H9z',
  order: 'M3 2.500h10v11l-2-1.300-1.500 1.300L8 12.200l-1.500 1.300L5 12.200l-2 1.300zM5.500 6h5M5.500 8.800h5',
  stock: 'M2.500 5L8 2.200 13.500 5v6L8 13.800 2.500 11zM2.500 5L8 7.800 13.500 5M8 7.800v6',
  key: 'M5.200 13.200a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400zM7.200 8.600L13.500 2.500M11 5l2 2',
  webhook:
    'M5 10.500a2.500 2.500 0 1 0 2.500 2.500h3M8 3a2.500 2.500 0 0 1 1.500 4.500L11 10.500M6.500 7.500L5 10.500M11 13a2 2 0 1 0 0-2.500',
  outside: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7.500 8.500',
  event: 'M2 8h2.500l2-5 3 10 2-5H14',
} as const

export type IconName = keyof typeof shapes

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon-shape" viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
)
