import { showCurrentPage, startDocsSearch } from './docs-search.ts'
import { startLinkForms } from './link-form.ts'
import { startTryIt } from './try-it.ts'

startDocsSearch()
showCurrentPage()
startTryIt()
startLinkForms()
