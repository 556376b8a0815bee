// Silhouettes on a grid of 24 by 24, so that nothing is loaded. Eyes are holes.
const eyes = (y: number, ...xs: readonly number[]): string =>
  xs.map((x) => `M${x} ${y + 1.3}a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6z`).join('')

const shapes = {
  fish: `M2 12c3-5 7-6.5 10.5-6.5 3 0 5 2 6.5 4.5L22.5 7v10L19 14c-1.5 2.5-3.5 4.5-6.5 4.5C9 18.5 5 17 2 12z${eyes(11, 8)}`,
  dog: `M7.5 4.5C4 3 1.5 6 1.5 11c0 4 1 6 2.7 6 .8 0 1.4-.5 1.8-1.3C7 19 9 21.5 12 21.5s5-2.5 6-5.8c.4.8 1 1.3 1.8 1.3 1.7 0 2.7-2 2.7-6 0-5-2.5-8-6-6.5a11 11 0 0 0-9 0z${eyes(11.5, 8.8, 15.2)}M12 17.5c1.2 0 2-.7 2-1.5s-.8-1.3-2-1.3-2 .5-2 1.3.8 1.5 2 1.5z`,
  cat: `M4 3l5 3.3a10 10 0 0 1 6 0L20 3v10.5a8 8 0 0 1-16 0z${eyes(12.5, 8.8, 15.2)}`,
  rabbit: `M8 10.5C6 7 5.8 2 8 2c2 0 3 3.5 3 7a8 8 0 0 1 2 0c0-3.5 1-7 3-7 2.2 0 2 5 0 8.5a6.5 6.5 0 1 1-8 0z${eyes(14.5, 9.4, 14.6)}`,
  bird: `M2 10.5c4 .5 6-.5 8-3.5a5 5 0 0 1 9.2 1L22.5 9.5 19.3 11c0 5.5-4 9-9.3 9H5.5l4-4C5.5 16 2.5 14 2 10.5z${eyes(8.2, 15.4)}`,
  rodent: `M6 10.8A4.2 4.2 0 1 1 10.8 6.2a9 9 0 0 1 2.4 0A4.2 4.2 0 1 1 18 10.8a7.2 7.2 0 1 1-12 0z${eyes(13.8, 9.4, 14.6)}`,
  snake:
    'M17.5 2.5a4 4 0 0 0-4 4c0 2 1.3 3.2 3 3.9v1.1c0 1.4-1 2-4 2H9a5 5 0 0 0 0 10h9.5a2.2 2.2 0 0 0 0-3.4H9a1.5 1.5 0 0 1 0-3.2h4c4.5 0 7-1.8 7-5.4v-1.2c1.3-.8 2-2.1 2-3.8a4.2 4.2 0 0 0-4.5-4z' +
    'M17 7.3a1.1 1.1 0 1 0 0-2.2 1.1 1.1 0 0 0 0 2.2z',
  gecko:
    'M12 1.5c2 0 3.2 1.6 3.2 3.6 0 .7-.1 1.3-.4 1.9l2.7-.3 1.3-2.4 1.6.8-1.7 3.2-3.6.8.2 4 3.2 1.2 1.2 3.4-1.7.6-.9-2.6-2.5-.7c-.5 2-1.1 3.6-1.4 4.8-.3 1.3.2 2 1.6 1.6l.6 1.5c-3 1.2-4.9-.6-4.4-3.4.3-1.6.2-2.8-.3-4.5l-2.5.7-.9 2.6-1.7-.6 1.2-3.4 3.2-1.2.2-4-3.6-.8-1.7-3.2 1.6-.8 1.3 2.4 2.7.3c-.3-.6-.4-1.2-.4-1.9 0-2 1.2-3.6 3.2-3.6z',
  reptile: `M2.5 16a8.3 8.3 0 0 1 16-3.5h1a2.5 2.5 0 0 1 0 5H18V20h-3.5v-2.5H8V20H4.5v-2.5H2z${eyes(14.8, 19.6)}`,
} as const

/** The first that fits: a catfish is a fish. */
const kinds: readonly (readonly [keyof typeof shapes, RegExp])[] = [
  ['fish', /fish|gupp|koi\b|tetra|shrimp/],
  ['dog', /dog|pupp|hound|terrier/],
  ['cat', /\bcat|kitten/],
  ['rabbit', /rabbit|bunn|hare\b/],
  ['bird', /bird|parrot|canar|budg|finch|chick|duck|owl\b/],
  ['rodent', /hamster|mouse|mice|\brat|gerbil|guinea|rodent|chinchilla/],
  ['snake', /snake|python|\bboa\b|viper|cobra/],
  ['gecko', /gecko|lizard|chameleon|dragon|iguana|skink|newt|salamander/],
  ['reptile', /reptil|turtle|tortoise|frog|amphib/],
]

const findKind = (text: string) => kinds.find(([, pattern]) => pattern.test(text.toLowerCase()))?.[0]

/** Depends on the category. Reptiles look too different from each other, so for them the name may decide. */
function kindOf(name: string, category: string): keyof typeof shapes | undefined {
  const kind = findKind(category)
  const named = kind === 'reptile' ? findKind(name) : undefined
  return named === 'snake' || named === 'gecko' ? named : kind
}

const hues = 12
/** Neighbours in a list get colours far apart. */
const hueStep = 5

const hueOf = (id: number): number => ((id * hueStep) % hues) * (360 / hues)

interface Props {
  readonly id: number
  readonly name: string
  readonly category: string
  readonly large?: boolean
}

/** Replaces a picture of a pet: the kind of animal by its category, or the category's first letter, in a colour that renaming keeps. */
export function PetGlyph({ id, name, category, large = false }: Props) {
  const kind = kindOf(name, category)
  const [letter = ''] = category.trim().toUpperCase()
  return (
    <span class={large ? 'pet-glyph large' : 'pet-glyph'} style={{ '--hue': hueOf(id) }} data-kind={kind ?? letter}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        {kind ? (
          <path d={shapes[kind]} fill-rule="evenodd" />
        ) : (
          <text x="12" y="17" text-anchor="middle">
            {letter}
          </text>
        )}
      </svg>
    </span>
  )
}
