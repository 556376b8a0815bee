// The compiler reads the sources, and says which mutants compile: one that does not is no bug that could be shipped.
import { join } from 'node:path'
import { API, type Project } from 'typescript/unstable/async'
import { findChanges } from './find.ts'
import { applyTo, type Mutant, nameMutants } from './mutant.ts'

export async function openCompiler(root: string) {
  const changed = new Map<string, string>()
  const api = new API({ cwd: root, fs: { readFile: (name) => changed.get(name) } })
  const configs = ['tsconfig.json', 'sdk/tsconfig.json', 'console/tsconfig.json'].map((file) => join(root, file))
  let snapshot = await api.updateSnapshot({ openProjects: configs })
  const projectOf = (file: string): Project => {
    const [workspace] = file.split('/')
    const config = workspace === 'sdk' || workspace === 'console' ? join(root, workspace, 'tsconfig.json') : configs[0]
    return snapshot.getProject(config as string) as Project
  }

  return {
    async mutantsOf(file: string): Promise<Mutant[]> {
      const source = await projectOf(file).program.getSourceFile(join(root, file))
      return source ? nameMutants(file, source.text, findChanges(source)) : []
    },
    async compiles(mutant: Mutant, source: string): Promise<boolean> {
      const path = join(root, mutant.file)
      changed.set(path, applyTo(source, mutant))
      snapshot = await api.updateSnapshot({ fileChanges: { changed: [path] } })
      const { program } = projectOf(mutant.file)
      const faults = [...(await program.getSyntacticDiagnostics(path)), ...(await program.getSemanticDiagnostics(path))]
      changed.delete(path)
      snapshot = await api.updateSnapshot({ fileChanges: { changed: [path] } })
      return faults.length === 0
    },
    close: () => api.close(),
  }
}

export type Compiler = Awaited<ReturnType<typeof openCompiler>>
