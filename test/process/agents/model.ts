/** A language model's API on this machine, so that an agent works without an account. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface ChatRequest {
  messages: { role: string; content: unknown }[]
  tools?: { function: { name: string } }[]
}

/** A model that calls one tool and then ends. */
export interface Model extends AsyncDisposable {
  base_url: string
  /** The names of the tools that the agent offered. */
  offered(): string[]
  /** What the tool answered, as the agent passed it on. */
  answered(): string
}

/** Starts a model behind the API of chat completions. It calls the tool once it is offered. */
export async function startModel(tool: { name: string; arguments: unknown }): Promise<Model> {
  let offered: string[] = []
  let answered = ''
  const server = createServer(async (request, response) => {
    const { messages, tools = [] } = (await json(request)) as ChatRequest
    const names = tools.map((each) => each.function.name)
    if (names.length > 0) offered = names
    const last = messages.at(-1)
    if (last?.role === 'tool') answered = String(last.content)
    const isCalling = last?.role !== 'tool' && names.includes(tool.name)
    sendChunks(response, isCalling ? callOf(tool) : [{ role: 'assistant', content: 'Done.' }])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    offered: () => offered,
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function callOf(tool: { name: string; arguments: unknown }) {
  const called = { name: tool.name, arguments: JSON.stringify(tool.arguments) }
  const tool_calls = [{ index: 0, id: 'call_1', type: 'function', function: called }]
  return [{ role: 'assistant', tool_calls }]
}

function sendChunks(response: ServerResponse, deltas: object[]): void {
  const finish_reason = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop'
  const choices = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason }]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const choice of choices) {
    const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 0, model: 'model' }
    const data = { ...chunk, choices: [{ index: 0, ...choice }] }
    response.write(`data: ${JSON.stringify(data)}\n\n`)
  }
  response.end('data: [DONE]\n\n')
}
