import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server'
import { FEATURES } from '../mcp/agent-settings.ts'
import { loadStdio } from '../mcp/package.ts'
import { createToolServer, errorResult } from '../mcp/tool-server.ts'
import { type Backend, type BackendOptions, findBackend, splitNames, UsageError } from './arguments.ts'
import { findRunning, NotRunningError } from './running.ts'

/** @property snapshot Whether to keep data for `undock undo` before an agent deletes it. */
export type McpOptions = BackendOptions & {
  readonly readOnly: boolean
  readonly snapshot: boolean
  readonly features: readonly string[]
}

/** `undock mcp`: the tools of `/mcp` over stdin and stdout, for clients that start their servers. Each call looks up the backend, so
 *  that it can start, stop and reset in between. */
export async function mcp({ readOnly, snapshot, features, ...options }: McpOptions): Promise<number> {
  const backend = findBackend(options)
  const unknown = splitNames(features).find((name) => !FEATURES.includes(name))
  if (unknown !== undefined) throw new UsageError(`--features accepts ${FEATURES.join(', ')}, not "${unknown}".`)
  const query = new URLSearchParams({
    read_only: String(readOnly),
    snapshots: String(snapshot),
    ...(features.length > 0 ? { features: splitNames(features).join(',') } : {}),
  })
  const protocol = await loadStdio(() =>
    console.error("Fetching Supabase's MCP server from the npm registry (once per machine)"),
  )
  const source = {
    list: async () => ((await ask(backend, query, 'tools/list', {})) as ListToolsResult).tools,
    call: async (name: string, input: object) => {
      try {
        return (await ask(backend, query, 'tools/call', { name, arguments: input })) as CallToolResult
      } catch (error) {
        if (error instanceof NotRunningError || error instanceof TypeError) return errorResult(error.message)
        throw error
      }
    },
  }
  const ended = new Promise((resolve) => process.stdin.once('close', resolve))
  const connection = protocol.serveStdio(() => createToolServer(protocol, source), {
    onerror: ({ message }) => console.error(message),
  })
  await ended
  await connection.close()
  return 0
}

/** Sends one message to the running backend.
 *  @throws {NotRunningError} */
async function ask(backend: Backend, query: URLSearchParams, method: string, params: object): Promise<unknown> {
  const { url, identity } = await findRunning(backend)
  const response = await fetch(`${url}/mcp?${query}`, {
    method: 'POST',
    headers: {
      apikey: identity.keys.secret,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const { result, error, message } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text)
  if (result === undefined) {
    const reason = error?.message ?? message ?? `/mcp responded with status ${response.status}`
    // The protocol's error code is passed on to the client.
    throw Object.assign(new Error(reason), { code: error?.code })
  }
  return result
}
