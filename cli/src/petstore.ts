#!/usr/bin/env bun
import { exitCodes } from './exit-codes.ts'
import { printError, runProgram } from './program.ts'
import { terminalOf } from './terminal.ts'

const words = process.argv.slice(2)
const terminal = terminalOf(process)

// A reader that stops early (`| head`) is not an error; a full disk is.
process.stdout.on('error', (error: Error & { code?: string }) =>
  process.exit(error.code === 'EPIPE' ? exitCodes.done : printError(error, words, terminal)),
)

runProgram(words, terminal).then((code) => process.exit(code))
