#!/usr/bin/env bun
import { runProgram } from './program.ts'
import { terminalOf } from './terminal.ts'

// Whoever reads only the first lines (`| head`) wants no complaint about the rest.
process.stdout.on('error', () => process.exit(0))

process.exit(await runProgram(process.argv.slice(2), terminalOf(process)))
