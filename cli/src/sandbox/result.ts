import type { Stage } from './challenge.ts'

const categoryName = 'Result'

/** How a client in any language hands in what it found, whether we run it or wait for it. */
export const handIn = (what: string): string =>
  `Then create a category named "${categoryName}" whose description is ${what}.`

export const resultIs = (what: string): string => `The description of the category "${categoryName}" is ${what}`

/** Compares what the client handed in. */
export const findWrongResult =
  (findExpected: (stage: Stage) => string | Promise<string>) =>
  async (stage: Stage): Promise<string | undefined> => {
    const categories = await stage.admin.categories.list().toArray()
    const result = categories.find(({ name }) => name === categoryName)
    if (!result) return `There is no category "${categoryName}".`
    const expected = await findExpected(stage)
    const found = result.description ?? ''
    return found === expected ? undefined : `The description of "${categoryName}" is "${found}", not "${expected}".`
  }
