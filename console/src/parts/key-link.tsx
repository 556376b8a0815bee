import { hrefOf } from '../router.ts'

/** The key that did something; nothing if it is unknown, or hidden from this user. */
export const KeyLink = ({ id, names }: { id: number | undefined; names: ReadonlyMap<number, string> }) =>
  id === undefined ? null : (
    <a class="name" dir="auto" href={hrefOf(`/keys/${id}`)}>
      {names.get(id) ?? `Key ${id}`}
    </a>
  )
