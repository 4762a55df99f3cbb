import { startTryIt } from './try-it.ts'

startTryIt()
