import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleEnvironment } from '../../harness/example-tools.ts'

// The examples of the guides, and how a reader runs them: in a plain shell, with the installed Node, with Python.

export interface Block {
  readonly language: string
  readonly text: string
}

export interface Example {
  /** The same in several languages, the shell first. */
  readonly programs: readonly Block[]
  readonly shown: Block | undefined
}

export const programLanguages = ['sh', 'js', 'python']

export function examplesOf(guide: string): Example[] {
  const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
  return blocks.flatMap(({ language }, index): Example[] => {
    if (language !== 'sh') return []
    const others = blocks.slice(index + 1).findIndex((block) => !['js', 'python'].includes(block.language))
    const end = others < 0 ? blocks.length : index + 1 + others
    const shown = blocks[end]
    return [{ programs: blocks.slice(index, end), shown: shown && shown.language !== 'sh' ? shown : undefined }]
  })
}

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export async function runProgram(words: string[], cwd: string, variables: Record<string, string>): Promise<Ended> {
  const child = Bun.spawn(words, { cwd, env: exampleEnvironment(cwd, variables), stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, stdout, stderr }
}

/** Runs one program as it is; undefined if this machine lacks its language. */
export async function runExample(
  { language, text }: Block,
  directory: string,
  variables: Record<string, string>,
): Promise<Ended | undefined> {
  const [program, suffix] = { sh: ['sh', 'sh'], js: ['node', 'mjs'], python: ['python3', 'py'] }[language] ?? []
  if (!program || !Bun.which(program)) return undefined
  const file = `${Bun.hash(text)}.${suffix}`
  writeFileSync(join(directory, file), text)
  return runProgram([program, ...(language === 'sh' ? ['-eu'] : []), file], directory, variables)
}
