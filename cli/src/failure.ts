import { PetStoreError } from '@petstore/sdk'
import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** Ends a command with a message for the user. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failed,
    /** The fields of the error with --json, if there are more than the code and the message. */
    readonly fields: ErrorReport['fields'] = {},
  ) {
    super(message)
  }
}

interface ErrorReport {
  /** Empty if the message is already printed. */
  readonly message: string
  readonly exitCode: ExitCode
  /** The fields of the error with --json, besides the exit code. */
  readonly fields: Readonly<Record<string, unknown>>
}

const commandMissing = 'A command is required. Run with --help for a list.'

/** The message, exit code and fields for an error. */
export function describeError(error: unknown): ErrorReport {
  if (error instanceof PetStoreError) return describeServiceError(error)
  if (error instanceof Failure) return report(error.message, error.exitCode, error.fields)
  // The parser has printed it. Requested help is not an error.
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misused
    const isIncomplete = error.code === 'commander.help'
    const message = isIncomplete ? commandMissing : error.message.replace(/^error: /, '')
    return { ...report('', exitCode), fields: { code: 'misused', message } }
  }
  if (!(error instanceof Error)) return report(String(error), exitCodes.failed)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return report(error.message + cause, exitCodes.failed)
}

/** An error of the command line itself: its code is the name of its exit code. */
function report(message: string, exitCode: ExitCode, fields: ErrorReport['fields'] = {}): ErrorReport {
  const [code] = Object.entries(exitCodes).find(([, value]) => value === exitCode) ?? []
  return { message, exitCode, fields: { code, message, ...fields } }
}

/** The same error with a line that says how to continue; with --json it keeps its fields. */
export function withAdvice(error: unknown, advice: string): Failure {
  const { message, exitCode, fields } = describeError(error)
  return new Failure(`${message}\n${advice}`, exitCode, { ...fields, advice })
}

/** The same error with more fields for --json. */
export function withFields(error: unknown, more: ErrorReport['fields']): Failure {
  const { message, exitCode, fields } = describeError(error)
  return new Failure(message, exitCode, { ...fields, ...more })
}

const exitCodeByStatus: Partial<Record<number, ExitCode>> = {
  0: exitCodes.unavailable,
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  429: exitCodes.limited,
}

/** The exit code for an error response of the service. */
export const exitCodeOf = (status: number): ExitCode =>
  exitCodeByStatus[status] ?? (status >= 500 ? exitCodes.unavailable : exitCodes.rejected)

function describeServiceError(error: PetStoreError): ErrorReport {
  const { code, message, status, errors, docs, requestId } = error
  const isForeign = code === 'unexpected_response'
  const advice: Partial<Record<string, string>> = {
    connection_failed: 'Is the service running? `petstore serve` starts one; PETSTORE_URL or --url selects another.',
    unexpected_response: 'Is this the URL of the service? PETSTORE_URL or --url selects another.',
    missing_api_key: 'Set PETSTORE_API_KEY or run `petstore login`.',
    invalid_api_key: 'Set a valid PETSTORE_API_KEY or run `petstore login`.',
  }
  const lines = [
    message,
    ...errors.map(({ in: where, path, message }) => `  ${path?.slice(1) || where}: ${message}`),
    advice[code],
    docs && `See ${docs}${requestId ? ` (request ${requestId})` : ''}`,
  ]
  return {
    message: lines.filter((line) => line !== undefined).join('\n'),
    // Something else responded, so its status says nothing about the service.
    exitCode: isForeign ? exitCodes.unavailable : exitCodeOf(status),
    fields: { code, message, status, requestId, docs, ...(errors.length > 0 && { errors }) },
  }
}

/** Why a fetch failed. Node's "fetch failed" has the reason as its cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
