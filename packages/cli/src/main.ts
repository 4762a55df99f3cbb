#!/usr/bin/env node
import { runProgram } from './program.ts'

// The reader of a pipe may end first, as `head` does: the command ends as if it had been read.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runProgram(process.argv.slice(2))
