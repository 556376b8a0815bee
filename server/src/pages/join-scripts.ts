/**
 * One script of several files. What they take from each other is there already, so nothing is imported any more. Lines that
 * are comments stay here.
 */
export const joined = (files: readonly string[]): string =>
  files
    .join('\n')
    .replace(/^import [^;]*? from '[^']*'$\n/gm, '')
    .replace(/^export (?=const|function|async)/gm, '')
    .replace(/^\s*(?:\/\/|\/\*\*).*\n/gm, '')
