import { hrefOf } from '../router.ts'

/** The key that did something; nothing if that is not known, or not for this user. */
export const KeyLink = ({ id, names }: { id: number | undefined; names: ReadonlyMap<number, string> }) =>
  id === undefined ? null : (
    <a class="name" dir="auto" href={hrefOf(`/keys/${id}`)}>
      {names.get(id) ?? `Key ${id}`}
    </a>
  )
