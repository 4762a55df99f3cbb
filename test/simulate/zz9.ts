import { openStage } from './world.ts'
import { play } from './play.ts'
const s = await openStage()
console.log("open", (process.memoryUsage().rss/1e6).toFixed(0))
let a = process.cpuUsage()
for (let i = 1; i <= 20; i++) { await play(s, i); if (i % 20 === 0) { const b = process.cpuUsage(a); a = process.cpuUsage(); console.log(i, ((b.user+b.system)/20000).toFixed(0), (process.memoryUsage().rss/1e6).toFixed(0), (process.memoryUsage().heapUsed/1e6).toFixed(0), (process.memoryUsage().arrayBuffers/1e6).toFixed(0)) } }
await s.close()
