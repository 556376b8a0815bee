#!/usr/bin/env bun
import { runProgram } from './program.ts'
import { terminalOf } from './terminal.ts'

// A reader that stops early (`| head`) is not an error.
process.stdout.on('error', () => process.exit(0))

runProgram(process.argv.slice(2), terminalOf(process)).then((code) => process.exit(code))
