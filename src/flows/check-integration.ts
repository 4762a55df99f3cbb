export { checkIntegration } from './check-integration/run.ts'
