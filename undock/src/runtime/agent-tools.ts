import { join } from 'node:path'
import { findFunctions } from '../functions/catalogue.ts'
import type { Functions } from '../functions/index.ts'
import { serviceName } from '../gateway/gateway.ts'
import type { RequestHandler } from '../kernel/service.ts'
import { createMcp, type McpOptions } from '../mcp/index.ts'

export type AgentToolsOptions = Pick<
  McpOptions,
  'identity' | 'config' | 'host' | 'dbUrl' | 'mailUrl' | 'readLogs' | 'isPrefetched' | 'log'
> & {
  /** The project's `supabase` folder. */
  readonly supabaseFolder: string
  readonly functions: Pick<Functions, 'known'> | null
  /** Of all services; read at each call, because this handler is one of them. */
  readonly handlers: ReadonlyMap<string, RequestHandler>
}

/** `/mcp`: what coding agents may ask of a running stack. */
export function createAgentTools({ functions, handlers, ...options }: AgentToolsOptions): RequestHandler {
  const functionsFolder = join(options.supabaseFolder, 'functions')
  return createMcp({
    ...options,
    functionsFolder,
    listFunctions: async () => {
      const faults = new Map(functions?.known().map(({ name, fault }) => [name, fault]))
      const found = await findFunctions(functionsFolder, options.config.functions)
      return found.map((one) => ({ ...one, fault: faults.get(one.name) ?? null }))
    },
    handlerOf: (path) => handlers.get(serviceName(path)) ?? null,
  })
}
