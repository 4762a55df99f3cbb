/**
 * One of the processes that run test files: it runs each file that the runner names as a suite of
 * its own. Files share what is slow to make: loaded modules, compiled code, the browser.
 */
import { describe, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeBrowser, keepBrowserOpen } from '../../test/support/browser.ts'
import type { FromWorker, ToWorker } from './protocol.ts'

keepBrowserOpen()
process.on('message', async (message: ToWorker) => {
  if (message === 'end') {
    await closeBrowser()
    // The channel stays open for the last results, but keeps the process alive no longer.
    process.channel?.unref()
  } else {
    mock.reset()
    mock.timers.reset()
    describe(message.file, () => import(pathToFileURL(message.file).href))
    // Node's runner reports nothing of a file in which no title matches: the process just ends.
    if (message.isLast) process.channel?.unref()
  }
})
process.send!('ready' satisfies FromWorker)
