/**
 * Joins files into one script. They share one scope there, so imports and exports are dropped, and so are comment lines.
 */
export const joinScripts = (files: readonly string[]): string =>
  files
    .join('\n')
    .replace(/^import [^;]*? from '[^']*'$\n/gm, '')
    .replace(/^export (?=const|function|async)/gm, '')
    .replace(/^\s*(?:\/\/|\/\*\*).*\n/gm, '')
