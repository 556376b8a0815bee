import { PetStoreError } from '@petstore/sdk'
import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** Ends a command with a sentence for whoever typed it. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failed,
  ) {
    super(message)
  }
}

interface Told {
  /** Empty when all has been said. */
  readonly message: string
  readonly exitCode: ExitCode
}

/** What to say of an error, and how to end after it. */
export function told(error: unknown): Told {
  if (error instanceof Failure) return error
  // The parser has said it already. Help that was asked for is no error.
  if (error instanceof CommanderError) {
    return { message: '', exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.misused }
  }
  if (error instanceof PetStoreError) return toldByService(error)
  if (!(error instanceof Error)) return { message: String(error), exitCode: exitCodes.failed }
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return { message: error.message + cause, exitCode: exitCodes.failed }
}

const codesOfStatus: Record<number, ExitCode> = {
  0: exitCodes.unavailable,
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  429: exitCodes.limited,
}

function toldByService({ code, message, status, errors, docs, requestId }: PetStoreError): Told {
  const otherwise = status >= 500 ? exitCodes.unavailable : exitCodes.refused
  const advice: Partial<Record<string, string>> = {
    connection_failed:
      'Is the service running there? `petstore serve` starts one; PETSTORE_URL or --url names another.',
    missing_api_key: 'Set PETSTORE_API_KEY or run `petstore login`.',
    invalid_api_key: 'Set another PETSTORE_API_KEY or run `petstore login`.',
  }
  const lines = [
    message,
    ...errors.map(({ in: where, path, message }) => `  ${path?.slice(1) || where}: ${message}`),
    advice[code],
    docs && `More: ${docs}${requestId ? ` (request ${requestId})` : ''}`,
  ]
  return {
    message: lines.filter((line) => line !== undefined).join('\n'),
    exitCode: codesOfStatus[status] ?? otherwise,
  }
}
