/** Runs one part of the scenario for each request: its name is the path, its facts the body. */
import { parts } from './scenario.js'

export default {
  async fetch(request) {
    const part = new URL(request.url).pathname.slice(1)
    return Response.json(await parts[part](await request.json()))
  },
}
