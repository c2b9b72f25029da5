import { join } from 'node:path'
import { findCaller } from '../../access/index.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import { findFunctions } from '../../functions/catalogue.ts'
import type { ForeignPages } from '../../gateway/foreign-pages.ts'
import { serviceName } from '../../gateway/gateway.ts'
import type { Identity } from '../../identity/identity.ts'
import type { RequestHandler } from '../../kernel/service.ts'
import { createMcp } from '../../mcp/index.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { type ControlDeps, createControl } from '../control/control.ts'
import type { FaultSwitches } from '../control/faults.ts'
import type { StackPlace } from '../place/place.ts'
import { createAnswerExplainer } from './answer-explainer.ts'
import type { LogFiles } from './log-files.ts'
import type { ServiceName } from './options.ts'
import type { Services } from './services.ts'

type HandlersOptions = Pick<ControlDeps, 'clock' | 'scripts' | 'branches' | 'consoleLink'> & {
  readonly place: StackPlace
  readonly database: ProjectDatabase
  readonly identity: Identity
  readonly services: Services
  readonly timeline: Timeline | null
  readonly faults: FaultSwitches
  readonly foreignPages: ForeignPages
  readonly mailUrl: string | null
  readonly logs: LogFiles
  readonly off: ReadonlySet<ServiceName>
  /** Whether the stack runs until stopped, so coding agents' dependencies are downloaded ahead. */
  readonly isLongLived: boolean
}

/** Creates the gateway's handlers by first path segment: the services, with simulated failures and recording, and the
 *  stack's control. */
export function createHandlers(options: HandlersOptions): ReadonlyMap<string, RequestHandler> {
  const { place, database, identity, services, timeline, faults, foreignPages, logs, off } = options
  const { config, settings } = place
  const { functions, realtime, restTargetOf } = services
  const { db } = database
  const { inAnswers, inLog } = createAnswerExplainer({
    // Explaining a request must not be recorded as part of it.
    db,
    identity,
    isForeign: foreignPages.isForeign,
    restTargetOf,
    log: logs.logOf('rest'),
  })
  const handlers = new Map(
    [...services.handlers].map(([name, handle]) => {
      const logged = name === 'rest' && options.isLongLived ? inLog(handle) : handle
      const explained = name === 'rest' && settings.explain ? inAnswers(logged) : logged
      const wrapped = faults.wrapHandler(name, explained)
      return [name, timeline?.wrapHandler(name, wrapped) ?? wrapped] as const
    }),
  )
  const { clock } = options
  const control = createControl({
    ...options,
    functions,
    realtime,
    rights: { db, schemas: config.api.schemas, timeline, restTargetOf },
    replaying: {
      identity,
      clock,
      url: config.api.external_url,
      keepsBodies: timeline?.keepsBodies ?? false,
      handlerOf: (service) => handlers.get(service),
      findCaller: (name) => findCaller(db, name),
    },
    changedSettings: place.changedSettings,
  })
  handlers.set('undock', control)
  if (!off.has('mcp')) handlers.set('mcp', createAgentTools(options, handlers))
  return handlers
}

/** Creates `/mcp`, the tools for coding agents. */
function createAgentTools(
  { place, identity, database, mailUrl, logs, services, branches, isLongLived }: HandlersOptions,
  handlers: ReadonlyMap<string, RequestHandler>,
): RequestHandler {
  const { config, host } = place
  const supabaseFolder = join(place.workdir, 'supabase')
  const functionsFolder = join(supabaseFolder, 'functions')
  return createMcp({
    identity,
    config,
    host,
    dbUrl: database.url,
    connect: database.connect,
    mailUrl,
    supabaseFolder,
    functionsFolder,
    readLogs: logs.read,
    isPrefetched: isLongLived,
    log: logs.logOf('mcp'),
    listFunctions: async () => {
      const faults = new Map(services.functions?.known().map(({ name, fault }) => [name, fault]))
      const functions = await findFunctions(functionsFolder, config.functions)
      return functions.map((one) => ({ ...one, fault: faults.get(one.name) ?? null }))
    },
    handlerOf: (path) => handlers.get(serviceName(path)) ?? null,
    keepForUndo: branches?.keepForUndo ?? null,
  })
}
