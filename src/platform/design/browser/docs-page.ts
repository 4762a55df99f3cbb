import { showCurrentPage, startDocsSearch } from './docs-search.ts'
import { startTryIt } from './try-it.ts'

startDocsSearch()
showCurrentPage()
startTryIt()
