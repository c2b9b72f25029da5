import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AS_TESTED, fetchPackage } from '../platform/fetched-package.ts'

export type Platform = Parameters<McpModules['official']['createSupabaseMcpServer']>[0]['platform']

export type ProtocolModule = typeof import('@modelcontextprotocol/server')
type OfficialModule = typeof import('@supabase/mcp-server-supabase')
type StdioModule = Pick<typeof import('@modelcontextprotocol/server/stdio'), 'serveStdio'>
/** @property protocol The SDK of the protocol that the official server itself uses. */
export type McpModules = { readonly official: OfficialModule; readonly protocol: ProtocolModule }

const OFFICIAL = '@supabase/mcp-server-supabase'
const SDK = '@modelcontextprotocol/server'
/** The tested versions, as for the types in package.json. */
export const VERSIONS = { [OFFICIAL]: '0.13.0', [SDK]: '2.4.0' } as const

/** Fetches them if they aren't on this machine.
 *  @returns their folder.
 *  @throws {FetchError} */
export const fetchModules = (tell: () => void): Promise<string> =>
  fetchPackage(`${OFFICIAL}@${VERSIONS[OFFICIAL]}`, tell, [`${SDK}@${VERSIONS[SDK]}`, AS_TESTED])

/** Loads the official MCP server and its SDK, fetched on first use because they take 28 MB.
 *  @param tell Called before they are fetched. @throws {FetchError} */
export async function loadModules(tell: () => void): Promise<McpModules> {
  const modules = await fetchModules(tell)
  const [official, protocol] = await Promise.all([
    load(modules, `${OFFICIAL}/dist/index.js`),
    load(modules, `${SDK}/dist/index.mjs`),
  ])
  return { official, protocol }
}

/** Loads the server transport for stdin and stdout.
 *  @throws {FetchError} */
export async function loadStdio(tell: () => void): Promise<Pick<ProtocolModule, 'Server'> & StdioModule> {
  const modules = await fetchModules(tell)
  const [{ Server }, { serveStdio }] = await Promise.all([
    load(modules, `${SDK}/dist/index.mjs`),
    load(modules, `${SDK}/dist/stdio.mjs`),
  ])
  return { Server, serveStdio }
}

const load = (modules: string, path: string) => import(pathToFileURL(join(modules, path)).href)
