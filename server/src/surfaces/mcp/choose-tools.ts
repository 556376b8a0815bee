import type { Route } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'

/**
 * Operations that another one covers, so that there are fewer tools to choose from: the other takes all that this one takes, and more.
 * A change that names only what changes also replaces; a batch may have one item; a profile has all fields of a pet.
 */
export const coveredBy: Readonly<Record<string, string>> = {
  listPets: 'listProfiles',
  createPet: 'createPets',
  replacePet: 'updatePet',
  replaceCategory: 'updateCategory',
  setInventoryItem: 'setInventoryItems',
}

/** The operations that are tools: all but deprecated ones, streams, and those that another one covers. */
export const chooseTools = (routes: readonly Route[]): Route[] =>
  routes.filter(
    ({ operation }) =>
      !operation.deprecation && !traitsOf(operation).takesLastEventId && coveredBy[operation.id] === undefined,
  )
