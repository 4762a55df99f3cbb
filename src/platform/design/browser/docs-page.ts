import { startDocsSearch } from './docs-search.ts'
import { startTryIt } from './try-it.ts'

startDocsSearch()
startTryIt()
