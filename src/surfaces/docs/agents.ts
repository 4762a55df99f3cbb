import { LOCALHOST_PORT } from '#domain/grants'

/** What a person needs to connect an agent: the address, and the shared client ID. */
export interface AgentConnection {
  base_url: string
  client_id: string
}

/** How to connect one agent. */
export interface Agent {
  id: string
  name: string
  /** Instructions before the code, and after it. */
  before: string
  label: string
  code: string
  after: string
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The agents that support a client ID directly. */
export function agentsOf({ base_url, client_id }: AgentConnection): Agent[] {
  const url = `${base_url}/mcp`
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      before:
        'Run this in a terminal. Keep the port: it is the only localhost port that Purser accepts.',
      label: 'Add Purser to Claude Code',
      code: `claude mcp add --transport http --client-id ${client_id} --callback-port ${LOCALHOST_PORT} purser ${url}`,
      after: 'Then type /mcp inside Claude Code, choose purser, and authenticate.',
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      before:
        'In .vscode/mcp.json of a folder, or with the command “MCP: Open User Configuration”.',
      label: 'mcp.json',
      code: json({
        servers: { purser: { type: 'http', url, oauth: { clientId: client_id } } },
      }),
      after:
        'Start the server from that file. VS Code opens the browser. Requires version 1.123 or newer.',
    },
    {
      id: 'codex',
      name: 'Codex',
      before: 'In ~/.codex/config.toml.',
      label: 'config.toml',
      code: `[mcp_servers.purser]\nurl = "${url}"\n\n[mcp_servers.purser.oauth]\nclient_id = "${client_id}"`,
      after: 'Then run “codex mcp login purser”. Requires version 0.142 or newer.',
    },
    {
      id: 'opencode',
      name: 'OpenCode',
      before: 'In opencode.json.',
      label: 'opencode.json',
      code: json({
        mcp: { purser: { type: 'remote', url, oauth: { clientId: client_id } } },
      }),
      after: 'Then run “opencode mcp auth purser”.',
    },
  ]
}

/**
 * Agents that run local programs but support no client ID, or use another redirect URL: they need a
 * small bridge maintained by the community.
 */
export function bridgeOf({ base_url, client_id }: AgentConnection): string {
  const args = [
    '-y',
    'mcp-remote',
    `${base_url}/mcp`,
    String(LOCALHOST_PORT),
    '--static-oauth-client-info',
    JSON.stringify({ client_id }),
  ]
  return json({ mcpServers: { purser: { command: 'npx', args } } })
}

/** The configuration files of those agents. */
export const BRIDGED = [
  ['Cursor', '~/.cursor/mcp.json'],
  ['Claude Desktop', 'claude_desktop_config.json'],
  ['Gemini CLI', '~/.gemini/settings.json'],
  ['Windsurf', '~/.codeium/windsurf/mcp_config.json'],
] as const

/** The permissions of each scope (spec: Sign-in rules, 9). */
export const SCOPES = [
  ['integrations.read', 'Read your apps, their products and their integration settings.'],
  [
    'integrations.write',
    'Change the Login URL and the redirect URLs, and rotate the client secret.',
  ],
  ['listing.read', 'Read the listing of an app.'],
  ['listing.write', 'Change listing, feature table, product descriptions, plans and prices.'],
] as const

/** Example prompts. */
export const PROMPTS = [
  'List my apps on Purser and tell me which of them can be bought.',
  'Show me what would happen if Pro cost $15 a month. Do not save anything yet.',
  'Read the README of this project and write the tagline, the description and three detail sections of my listing from it. Show me the dry run first.',
  'Add a yearly price to Pro that is two months cheaper than twelve monthly ones.',
  'Set up this site to sell through Purser: take the client ID and the redirect URLs from my integration settings, and add my local callback to the list.',
]

/** Error responses, and what to do about them. */
export const REFUSALS: { status: string; when: string; remedy: string }[] = [
  {
    status: '401',
    when: 'The token is missing, has expired or was revoked. Signing out of Purser revokes all tokens.',
    remedy: 'Agents refresh tokens automatically. If not, authenticate again.',
  },
  {
    status: '403 insufficient_scope',
    when: 'The token lacks the scope that the tool requires. The response names the scope.',
    remedy: 'Authenticate again and allow the scope. Write scopes include read access.',
  },
  {
    status: '406',
    when: 'The Accept header does not include application/json. */* is not enough.',
    remedy: 'Send Accept: application/json.',
  },
  {
    status: '429',
    when: 'More than 60 requests in a minute with one token.',
    remedy: 'Wait for the seconds in Retry-After.',
  },
  {
    status: 'terms_not_accepted',
    when: 'A write tool was called before you accepted the seller terms.',
    remedy: 'Accept them on the dashboard. The response has the URL. Nothing was saved.',
  },
  {
    status: 'A list of fields',
    when: 'The arguments are invalid. Each field is named, such as sections[2].title.',
    remedy: 'Nothing was saved. The agent corrects the fields and calls again.',
  },
]
