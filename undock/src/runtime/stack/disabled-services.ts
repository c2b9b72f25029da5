import type { Config } from '../../config/config.ts'
import { SERVICES, type ServiceName } from './options.ts'

/** Returns the services that a project has turned off. */
export const disabledServices = ({
  api,
  auth,
  storage,
  realtime,
  edge_runtime,
  studio,
  local_smtp,
}: Config): ServiceName[] => {
  const enabled: Record<ServiceName, boolean> = {
    rest: api.enabled,
    auth: auth.enabled,
    storage: storage.enabled,
    realtime: realtime.enabled,
    functions: edge_runtime.enabled,
    // The CLI starts postgres-meta for its console, and the console serves /mcp.
    pg: studio.enabled,
    mcp: studio.enabled,
    mail: local_smtp.enabled,
  }
  return SERVICES.filter((name) => !enabled[name])
}
