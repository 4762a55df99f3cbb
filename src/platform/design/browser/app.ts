// Enhances pages that work without scripts.
import { startCopyButtons } from './copy.ts'
import { focusError } from './errors.ts'
import { startFormatting } from './format.ts'
import { startProceeds } from './proceeds.ts'
import { startRedirect } from './redirect.ts'
import { startSubmitOnce } from './submit-once.ts'
import { startWaiting } from './waiting.ts'

startSubmitOnce()
startCopyButtons()
startFormatting()
focusError()
startRedirect()
startProceeds()
startWaiting()
