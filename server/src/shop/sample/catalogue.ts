// The sample data of a first start.

interface SamplePet {
  readonly name: string
  readonly stock?: number
  /** Quantities of the pet's orders; a negative one is complete. */
  readonly orders?: readonly number[]
}

interface SampleCategory {
  readonly name: string
  readonly description: string
  readonly pets: readonly SamplePet[]
}

export const sampleCatalogue: readonly SampleCategory[] = [
  {
    name: 'Dogs',
    description: 'Loyal, loud and fond of walks.',
    pets: [
      { name: 'Rex' },
      { name: 'Bella' },
      { name: 'Charlie', orders: [1] },
      { name: 'Luna' },
      { name: 'Cooper', orders: [-1] },
      { name: 'Daisy' },
      { name: 'Milo' },
      { name: 'Rosie' },
    ],
  },
  {
    name: 'Cats',
    description: 'Independent, warm and always right.',
    pets: [
      { name: 'Misty' },
      { name: 'Oliver' },
      { name: 'Cleo', orders: [-1] },
      { name: 'Simba' },
      { name: 'Nala', orders: [1] },
      { name: 'Felix' },
      { name: 'Pepper' },
      { name: 'Tiger' },
    ],
  },
  {
    name: 'Rabbits',
    description: 'Quiet, quick and never alone for long.',
    pets: [
      { name: 'Thumper', stock: 4 },
      { name: 'Clover', stock: 3, orders: [1] },
      { name: 'Hazel', stock: 2 },
      { name: 'Snowball' },
      { name: 'Biscuit', stock: 5, orders: [-2, 1] },
      { name: 'Juniper' },
    ],
  },
  {
    name: 'Fish',
    description: 'Colourful company that asks for little but clean water.',
    pets: [
      { name: 'Neon tetra', stock: 240, orders: [12, -20] },
      { name: 'Guppy', stock: 180, orders: [-10] },
      { name: 'Clownfish', stock: 24 },
      { name: 'Angelfish', stock: 16, orders: [2] },
      { name: 'Betta', stock: 12 },
      { name: 'Koi', stock: 8 },
      { name: 'Zebra danio', stock: 150 },
    ],
  },
  {
    name: 'Birds',
    description: 'Singers, talkers and early risers.',
    pets: [
      { name: 'Canary', stock: 9, orders: [-1] },
      { name: 'Budgerigar', stock: 14, orders: [2] },
      { name: 'Cockatiel', stock: 5 },
      { name: 'Zebra finch', stock: 20, orders: [4] },
      { name: 'Lovebird', stock: 6 },
      { name: 'Captain, a grey parrot' },
    ],
  },
  {
    name: 'Reptiles',
    description: 'Calm, patient and happiest under a lamp.',
    pets: [
      { name: 'Leopard gecko', stock: 7 },
      { name: 'Corn snake', stock: 3, orders: [1] },
      { name: 'Bearded dragon', stock: 4 },
      { name: 'Hermann’s tortoise', stock: 2, orders: [-2] },
      { name: 'Crested gecko', stock: 5 },
      { name: 'Veiled chameleon', stock: 1 },
    ],
  },
]
