import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: true
  readonly link?: true
  readonly optional?: true
}

const font = 'server/src/surfaces/pages/assets/figtree-license.txt'

/** The licences of all third-party code in what we build, which these licences require. */
export function thirdPartyNotices(): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const included = Object.entries<Locked>(packages).filter(
    ([path, { dev, link, optional }]) => path.startsWith('node_modules/') && !dev && !link && !optional,
  )
  const notices = included.map(([path, { version, license }]) => {
    const file = readdirSync(join(root, path)).find((name) => /^licen[cs]e/i.test(name))
    const text = file === undefined ? '' : readFileSync(join(root, path, file), 'utf8')
    return { title: `${path.replace(/.*node_modules\//, '')} ${version} (${license})`, text }
  })
  const all = [...notices, { title: 'Figtree, a font', text: readFileSync(join(root, font), 'utf8') }]
  return all.map(({ title, text }) => `${'='.repeat(72)}\n${title}\n\n${text.trim()}\n`).join('\n')
}
