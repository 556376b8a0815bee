import type { Category, CategoryPatch, Tagged } from '@petstore/sdk'
import { Dialog } from '../parts/dialog.tsx'
import { Edit } from '../parts/edit.tsx'
import { store } from '../session.ts'

export const CategoryEdit = ({ category, onClose }: { category: Tagged<Category>; onClose: () => void }) => (
  <Dialog title={`Edit ${category.name}`} onClose={onClose}>
    <Edit<Category, CategoryPatch>
      item={category}
      schema="CategoryPatch"
      nameOf={({ name }) => name}
      fieldsOf={({ name, description = null }) => ({ name, description })}
      update={(before, changes) => store().categories.update(before.id, changes, { ifMatch: before })}
      load={() => store().categories.get(category.id)}
      onClose={onClose}
    />
  </Dialog>
)
