// What a browser that runs scripts gets on top of pages that work without any.
import { startCopyButtons } from './copy.ts'
import { focusErrorSummary } from './errors.ts'
import { startFormatting } from './format.ts'
import { startRedirect } from './redirect.ts'
import { startSubmitOnce } from './submit-once.ts'
import { startWaiting } from './waiting.ts'

startSubmitOnce()
startCopyButtons()
startFormatting()
focusErrorSummary()
startRedirect()
startWaiting()
