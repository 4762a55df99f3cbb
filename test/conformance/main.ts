import { runConformance } from './run.ts'

const { code, output } = await runConformance()
console.log(output)
process.exit(code)
