/**
 * A process that runs test files: it runs each file named by the runner as a separate suite. Files
 * share what is slow to create: loaded modules, compiled code, the browser.
 */
import { describe, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeBrowser, keepBrowserOpen } from '../../test/support/browser.ts'
import type { FromWorker, ToWorker } from './protocol.ts'

keepBrowserOpen()
process.on('message', async (message: ToWorker) => {
  if (message === 'end') {
    await closeBrowser()
    // The channel stays open for the last results, without keeping the process alive.
    process.channel?.unref()
  } else {
    mock.reset()
    mock.timers.reset()
    describe(message.file, () => import(pathToFileURL(message.file).href))
    // Node's runner reports nothing for a file without a matching title: the process just exits.
    if (message.is_last) process.channel?.unref()
  }
})
process.send!('ready' satisfies FromWorker)
