/** Exit codes for scripts. The README and `petstore --help` have the same table. */
export const exitCodes = {
  done: 0,
  failed: 1,
  misused: 2,
  notAllowed: 3,
  notFound: 4,
  rejected: 5,
  limited: 6,
  unavailable: 7,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodesHelp = `Exit codes:
  0    success
  1    failure, or a negative result: schema out of date, problems found, lines rejected
  2    invalid usage
  3    no API key, an invalid one, or one that lacks the scope (401, 403)
  4    not found (404)
  5    rejected by the service (400, 409, 412, 422)
  6    too many requests, or banned for a while (429)
  7    service unreachable or unavailable, or the outcome is unknown (503)
  130  interrupted by Ctrl-C`
