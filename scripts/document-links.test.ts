import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { documents } from '../server/test/harness/documents.ts'
import { findings, repository } from '../server/test/harness/repository-files.ts'

const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, '')

/** The anchors of a document, as GitHub makes them from its headings. */
const anchorsOf = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Links to other files of the repository: neither to other sites nor to pages of the service. */
const linksIn = (text: string) =>
  [...withoutCode(text).matchAll(/\]\((?!\w+:|\/|\{)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path = '', anchor]) => ({
    path,
    anchor,
  }))

test('links between documents lead to a file, and to a heading that it has', () => {
  const broken = findings(new Map(documents), (file, text) =>
    linksIn(text).flatMap(({ path, anchor }) => {
      const target = path === '' ? file : normalize(join(dirname(file), path))
      if (!existsSync(join(repository, target))) return [path]
      const isKnown = anchor === undefined || anchorsOf(documents.get(target) ?? '').includes(anchor)
      return isKnown ? [] : [`${path}#${anchor}`]
    }),
  )
  expect(broken).toEqual([])
})
