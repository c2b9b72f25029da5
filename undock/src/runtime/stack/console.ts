import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Console } from '../../console/index.ts'
import type { ConsoleOptions, ProjectFacts } from '../../console/options.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import { serviceName } from '../../gateway/gateway.ts'
import type { RequestHandler } from '../../kernel/service.ts'
import type { MailService } from '../../mail/index.ts'
import type { BranchControl } from '../branches/control.ts'
import type { StackPlace } from '../place/place.ts'
import { PortInUseError } from '../place/ports.ts'
import type { LogFiles } from './log-files.ts'
import { SERVICES, type ServiceName } from './options.ts'
import type { Services } from './services.ts'

/** The client built by `npm run console` and included in the package. */
const CLIENT = fileURLToPath(new URL('../../../console/dist', import.meta.url))

type OpenConsoleOptions = Pick<ConsoleOptions, 'identity' | 'clock'> &
  Pick<ProjectFacts, 'startedAt'> & {
    readonly place: StackPlace
    readonly database: ProjectDatabase
    readonly services: Services
    readonly handlers: ReadonlyMap<string, RequestHandler>
    readonly mail: MailService | null
    readonly poolerUrl: string | null
    /** Null for a backend that keeps no data. */
    readonly branches: BranchControl | null
    readonly logs: LogFiles
    readonly off: ReadonlySet<ServiceName>
    memory(): Promise<ProjectFacts['memory']>
    /** Called if the console gets another port. */
    onOtherPort(port: number, reason: string): void
  }

/** Starts the console. No program depends on its port, so a taken port is replaced by a free one. */
export async function openConsole(options: OpenConsoleOptions): Promise<Console> {
  const { startConsole } = await import('../../console/index.ts')
  const consoleOptions = optionsOf(options)
  try {
    return await startConsole(consoleOptions)
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error
    const console = await startConsole({ ...consoleOptions, port: 0 })
    options.onOtherPort(Number(new URL(console.url).port), error.message.split('\n', 1)[0] ?? '')
    return console
  }
}

function optionsOf(options: OpenConsoleOptions): ConsoleOptions {
  const { place, database, identity, services, handlers, branches, mail, poolerUrl, logs, off, clock, startedAt } =
    options
  const { config, settings, host, claim, portOf } = place
  const apiUrl = config.api.external_url
  const isLocal = !settings.database_url
  return {
    host,
    port: portOf(config.studio.port),
    claimPort: claim,
    db: database.db,
    dbUrl: database.url,
    apiUrl,
    identity,
    isLocal,
    supabaseFolder: join(place.workdir, 'supabase'),
    config,
    settings: {
      read: place.readSettings,
      async apply() {
        place.applySettings()
        // The Data API caches its settings with its schema.
        await database.db.query({ text: "notify pgrst, 'reload config'", values: [] })
      },
    },
    // The console's own requests aren't recorded.
    handlerOf: (path) => {
      const name = serviceName(path)
      return (name === 'undock' ? handlers : services.handlers).get(name) ?? null
    },
    keepForUndo: branches && ((command) => branches.keepForUndo(command, 0)),
    mail: mail?.handle ?? null,
    mailTemplates: services.mailTemplates,
    joinRealtime: services.upgrades.get('realtime') ?? null,
    clock,
    facts: async () => ({
      name: config.project_id,
      engine: database.engineInUse,
      isLocal,
      urls: { api: apiUrl, database: database.url, mail: mail?.url ?? null, pooler: poolerUrl },
      keys: identity.keys,
      jwtSecret: identity.jwtSecret,
      schemas: config.api.schemas,
      services: SERVICES.filter((name) => !off.has(name)),
      startedAt,
      memory: await options.memory(),
    }),
    folder: CLIENT,
    recentLines: logs.recent,
    log: logs.logOf('console'),
  }
}
