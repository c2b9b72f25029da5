import { endpointProblem } from '../../functions/remote-functions.ts'
import { isLoopback } from '../../kernel/url.ts'
import { openFiles } from '../../storage/files/open-files.ts'
import { FilesError } from '../../storage/files/s3-client.ts'
import { checkDatabase } from './database.ts'
import { checkReplica } from './replica.ts'
import type { NodeSettings, Problem } from './settings.ts'

/** Returns what prevents a node from serving. Changes nothing except a test file, written to the store and removed.
 *  @throws {UnreachableServerError} */
export const checkNode = async (node: NodeSettings): Promise<Problem[]> => [
  ...(await checkDatabase(node)),
  ...(await checkFiles(node)),
]

async function checkFiles({ config, files }: NodeSettings): Promise<Problem[]> {
  if (!config.storage.enabled) return []
  try {
    const opened = await openFiles(files, { log: { info: () => undefined } })
    opened.close()
    return []
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    return [{ what: error.message, remedy: 'The variables of the store begin with UNDOCK_SERVE_S3_.' }]
  }
}

/** Returns problems a node can serve with, so only `--check` looks for them.
 *  @throws {UnreachableServerError} */
export const checkExtras = async (node: NodeSettings): Promise<Problem[]> => [
  ...(await checkFunctions(node)),
  ...(await checkReplica(node)),
  ...checkProxies(node),
]

/** A node speaks no TLS, so https addresses and remote clients imply a proxy in front. */
function checkProxies({ config, settings: { host, serve } }: NodeSettings): Problem[] {
  const hasBalancer = isLoopback(host) || config.api.external_url.startsWith('https:')
  if (!hasBalancer || serve.trusted_proxies.length > 0) return []
  return [
    {
      what: "No load balancer is trusted: all clients behind one share one client's limits.",
      remedy: 'Set UNDOCK_SERVE_TRUSTED_PROXIES to its addresses, even if that is 127.0.0.1.',
    },
  ]
}

async function checkFunctions({ config, settings: { serve } }: NodeSettings): Promise<Problem[]> {
  const { functions_endpoint: endpoint } = serve
  if (!endpoint || !config.edge_runtime.enabled) return []
  const reason = await endpointProblem(new URL(endpoint))
  if (reason === null) return []
  return [
    {
      what: `Couldn't call functions at ${endpoint}: ${reason}`,
      remedy: 'Start their server, or correct UNDOCK_SERVE_FUNCTIONS_ENDPOINT; without it, each node runs them itself.',
    },
  ]
}
