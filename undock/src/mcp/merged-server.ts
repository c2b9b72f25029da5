import type { CallToolResult, ListToolsResult, Server } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { lossesOf } from '../database/statements/losses.ts'
import { splitStatements } from '../database/statements/split-statements.ts'
import { UserError } from '../kernel/service-error.ts'
import type { McpModules, Platform, ProtocolModule } from './package.ts'
import type { Tool } from './tool.ts'
import { createToolServer, errorResult } from './tool-server.ts'

export type MergedServerOptions = {
  readonly modules: McpModules
  readonly platform: Platform
  /** Feature groups of the official server; without any, its tools are omitted. */
  readonly features: readonly string[]
  readonly projectId: string
  readonly isReadOnly: boolean
  readonly tools: readonly Tool[]
  /** Keeps the data before a call that may delete it. @param maxAge Milliseconds: a more recent copy for the same tool is enough.
   *  @returns a note for the agent. @throws {UserError} if that's impossible, so that the call is refused. */
  readonly keepForUndo: ((tool: string, maxAge: number) => Promise<string>) | null
  /** Called with internal errors, whose text must not reach the agent. */
  onFault(error: unknown): void
}

/** @see https://www.jsonrpc.org/specification#error_object */
const INVALID_PARAMS = -32_602

/** Refused here, because config.toml decides. */
const LEFT_OUT = new Set(['update_storage_config'])

/** One MCP server with the tools of the official one and those of undock. The official server is called through an in-process channel,
 *  because tools can't be added to it. */
export async function createMergedServer(options: MergedServerOptions): Promise<Server> {
  const { modules, tools, isReadOnly, onFault } = options
  const official = options.features.length > 0 ? await linkOfficial(options) : null
  const own = new Map(tools.map((tool) => [tool.name, tool]))
  async function listOfficial(): Promise<ListToolsResult['tools']> {
    if (!official) return []
    return ((await official.ask('tools/list', {})) as ListToolsResult).tools
  }

  async function call(name: string, input: unknown): Promise<CallToolResult> {
    const tool = own.get(name)
    if (tool) {
      const result = await tool.run(input, { isReadOnly })
      return { content: [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }] }
    }
    if (official && (await listOfficial()).some((one) => one.name === name))
      return (await official.ask('tools/call', { name, arguments: input })) as CallToolResult
    // A protocol error, not a tool's result (MCP 2025-11-25, server/tools, error handling).
    throw new modules.protocol.ProtocolError(INVALID_PARAMS, `There is no tool ${name}.`)
  }

  return createToolServer(modules.protocol, {
    list: async () => [...(await listOfficial()).filter(({ name }) => !LEFT_OUT.has(name)), ...tools.map(listed)],
    async call(name, input) {
      const maxAge = isReadOnly ? null : maxSnapshotAge(name, input)
      try {
        const note = maxAge === null ? undefined : await options.keepForUndo?.(name, maxAge)
        const result = await call(name, input)
        return note ? { ...result, content: [...result.content, { type: 'text', text: note }] } : result
      } catch (error) {
        if (error instanceof modules.protocol.ProtocolError) throw error
        if (error instanceof z.ZodError) return errorResult(`The input cannot be used: ${z.prettifyError(error)}`)
        if (error instanceof UserError) return errorResult(error.message)
        onFault(error)
        return errorResult('The tool has failed; `undock logs mcp` has the reason.')
      }
    },
    close: () => official?.close(),
  })
}

const listed = ({ name, title, description, effect, inputSchema }: Tool): ListToolsResult['tools'][number] => ({
  name,
  description,
  inputSchema,
  annotations: {
    title,
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'deletes',
    idempotentHint: effect !== 'writes',
    openWorldHint: false,
  },
})

type Linked = { ask(method: string, params: object): Promise<unknown>; close(): void }

async function linkOfficial({
  modules: { official, protocol },
  platform,
  features,
  projectId,
  isReadOnly,
}: MergedServerOptions): Promise<Linked> {
  const server = official.createSupabaseMcpServer({
    platform,
    features: [...features],
    projectId,
    readOnly: isReadOnly,
  })
  const [near, far] = protocol.InMemoryTransport.createLinkedPair()
  const pending = new Map<unknown, PromiseWithResolvers<unknown>>()
  near.onmessage = (message: Message) => {
    const waiting = 'id' in message ? pending.get(message.id) : undefined
    if (!waiting || !('id' in message)) return
    pending.delete(message.id)
    if ('result' in message) waiting.resolve(message.result)
    else if ('error' in message) waiting.reject(new protocol.ProtocolError(message.error.code, message.error.message))
  }
  await Promise.all([server.connect(far), near.start()])
  let lastId = 0
  return {
    async ask(method, params) {
      const id = ++lastId
      const answer = Promise.withResolvers<unknown>()
      pending.set(id, answer)
      await near.send({ jsonrpc: '2.0', id, method, params: { ...params } })
      return answer.promise
    },
    close: () => void near.close(),
  }
}

type Message = Parameters<NonNullable<InstanceType<ProtocolModule['InMemoryTransport']>['onmessage']>>[0]

const RESETTING = 'reset_database'
const RUNNING_SQL = ['execute_sql', 'apply_migration']

/** Milliseconds. An agent that edits row by row must not push out more important copies. */
const RECENT = 10 * 60 * 1_000

/** Words of statements that may change or delete some rows. They also match in comments and strings, because an unneeded copy does no harm. */
const CHANGING = /\b(?:alter|call|delete|do|drop|execute|merge|truncate|update)\b/i

/** Returns the maximum age in milliseconds of the snapshot before a call: 0 for deleting objects or whole tables, more for
 *  changing rows, otherwise null. Does not look into functions that a `select` calls. @param input The tool's unchecked input. */
export function maxSnapshotAge(tool: string, input: Readonly<Record<string, unknown>>): number | null {
  if (tool === RESETTING) return 0
  const { query } = input
  if (!RUNNING_SQL.includes(tool) || typeof query !== 'string') return null
  const losses = splitStatements(query).flatMap(({ text }) => lossesOf(text))
  if (losses.length > 0) return 0
  return CHANGING.test(query) ? RECENT : null
}
