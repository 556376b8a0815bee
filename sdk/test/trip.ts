type Sdk = typeof import('../src/index.ts')
type PetFiles = typeof import('../src/pet-files/index.ts')

/** A trip through the shop that works on every platform; the caller compares its result. */
export async function trip(sdk: Sdk, petFiles: PetFiles, baseUrl: string, apiKey: string): Promise<object> {
  const { BannedError, headersOf, PetStore, PetStoreError, verifyWebhook } = sdk
  const deprecated: string[] = []
  const petstore = new PetStore({ baseUrl, apiKey, onDeprecated: ({ operation }) => deprecated.push(operation) })
  const { id: categoryId } = await petstore.categories.create({ name: 'Dogs' })
  const pets = await petstore.pets.batch(['Ace', 'Bo', 'Cy'].map((name) => ({ name, categoryId })))
  const first = pets[0]?.id ?? 0

  const names: string[] = []
  for await (const { name } of petstore.pets.list({ categoryId, limit: 2 })) names.push(name)

  const order = await petstore.store.orders.place({ petId: first })
  const rejection = await petstore.store.orders.place({ petId: first }).catch((error) => error)
  const profile = await petstore.pets.profile(first)
  await petstore.pets.get(first)

  const [oldest] = await petstore.events.list().toArray(1)
  let followed = ''
  for await (const event of petstore.events.follow({ after: oldest?.id, type: 'order.placed' })) {
    followed = event.type
    break
  }

  const { csv, importRecords } = petFiles
  async function* file() {
    yield new TextEncoder().encode(`name,categoryId,stock\nDi,${categoryId},4\nEd,999999,1\n`)
  }
  // Recognises the rejection by its class, which both entries must share.
  const rejected: number[] = []
  const onRejected = ({ line }: { line: number }) => void rejected.push(line)
  const { pets: imported } = await importRecords(petstore, { lines: csv.read(file()), onRejected })

  const aborted = new AbortController()
  aborted.abort(new Error('no more'))
  const abort = await petstore.pets.counts({}, { signal: aborted.signal }).catch((error) => error)

  return {
    names,
    quantity: order.quantity,
    rejection: rejection instanceof PetStoreError && !(rejection instanceof BannedError) && rejection.code,
    status: profile.status,
    hasTag: headersOf(profile)?.has('ETag'),
    limited: petstore.limits.last?.minute?.limit,
    deprecated,
    followed,
    imported,
    rejected,
    abort: abort.message,
    webhook: await verifyWebhook(
      '{"test": 2432232314}',
      {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      { now: () => 1614265330_000 },
    ),
  }
}
