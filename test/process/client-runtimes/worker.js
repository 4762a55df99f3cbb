/** Runs one part of the scenario for each request: its name is the path, its facts the body. */
import { createClient } from '@purser/client'
import { parts } from './scenario.js'

/** One client for all requests of the worker, as an app has it. */
let purser

async function validate({ credentials, license_key }) {
  purser ??= createClient(credentials)
  return await purser.validate(license_key)
}

export default {
  async fetch(request) {
    const part = new URL(request.url).pathname.slice(1)
    return Response.json(await { ...parts, validate }[part](await request.json()))
  },
}
