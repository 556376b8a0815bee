import { textsInPlace } from './texts-in-place.ts'

/** How packages and executables are bundled. */
export const bundling = {
  plugins: [textsInPlace],
  // A command loads only what it needs, which halves the time of a short one.
  splitting: true,
  // Names stay, so that the stack of an error can be read.
  minify: { whitespace: true, syntax: true, identifiers: false },
}
