// A copy of the working tree in which a mutant lives, so that the working tree is never touched.
import { copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '../../server/test/harness/run/test-run.ts'

export interface Tree {
  readonly path: string
  write(file: string, text: string): void
}

/** Copies every file that git knows or would add. Packages are links, except our own workspaces, which are those of the copy. */
export async function copyTree(path: string): Promise<Tree> {
  const { output } = await runProgram(['git', 'ls-files', '--cached', '--others', '--exclude-standard'])
  for (const file of output.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    copyFileSync(file, join(path, file))
  }
  linkPackages(path)
  return { path, write: (file, text) => writeFileSync(join(path, file), text) }
}

function linkPackages(path: string): void {
  mkdirSync(join(path, 'node_modules'))
  for (const name of readdirSync('node_modules')) {
    if (name === '@petstore') cpSync(`node_modules/${name}`, join(path, 'node_modules', name), linksAsTheyAre)
    else symlinkSync(join(process.cwd(), 'node_modules', name), join(path, 'node_modules', name))
  }
}
const linksAsTheyAre = { recursive: true, verbatimSymlinks: true }
