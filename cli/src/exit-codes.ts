/** How a command ends, for scripts. The README and `petstore --help` have the same table. */
export const exitCodes = {
  done: 0,
  failed: 1,
  misused: 2,
  notAllowed: 3,
  notFound: 4,
  refused: 5,
  limited: 6,
  unavailable: 7,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodesInWords = `Exit codes:
  0    done
  1    it went wrong, or the answer is no: schema behind, a fault found, lines refused
  2    the command was not understood
  3    no key, a wrong one, or one that may not do this (401, 403)
  4    there is no such thing (404)
  5    refused by a rule of the service (400, 409, 412, 422)
  6    too many requests, or banned for a while (429)
  7    the service cannot be reached or cannot answer now (503)
  130  interrupted by Ctrl-C`
