// `node scripts/routes.ts [--check]`: writes docs/routes.md, every route of every listener with who may call it, from the tables
// that the listeners read. With --check, as in `npm run lint`, it compares the page without writing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authRoutes } from '../src/auth/routes.ts'
import { consoleRoutes } from '../src/console/routes.ts'
import { functionRoutes } from '../src/functions/index.ts'
import { ACCESS, type Access, type RoutePattern } from '../src/kernel/router.ts'
import { mailRoutes } from '../src/mail/index.ts'
import { mcpRoutes } from '../src/mcp/index.ts'
import { postgresMetaRoutes } from '../src/postgres-meta/index.ts'
import { realtimeRoutes } from '../src/realtime/http.ts'
import { restRoutes } from '../src/rest/index.ts'
import { controlRoutes } from '../src/runtime/control/control.ts'
import type { ServiceName } from '../src/runtime/stack/options.ts'
import { restAdminRoutes } from '../src/runtime/stack/rest-admin.ts'
import { storageRoutes } from '../src/storage/routes.ts'

/** The listeners of a stack: its services, what the gateway adds, and the console. */
type Listener = ServiceName | 'rest-admin' | 'undock' | 'console'

type Table = { readonly title: string; readonly prefix: string; readonly rows: readonly RoutePattern[] }

const TABLES: Readonly<Record<Listener, Table>> = {
  rest: { title: 'Data API', prefix: '/rest/v1', rows: restRoutes },
  'rest-admin': { title: 'Health of the Data API', prefix: '/rest-admin/v1', rows: restAdminRoutes },
  auth: { title: 'Auth', prefix: '/auth/v1', rows: authRoutes },
  storage: { title: 'Storage', prefix: '/storage/v1', rows: storageRoutes },
  realtime: { title: 'Realtime', prefix: '/realtime/v1', rows: realtimeRoutes },
  functions: { title: 'Functions', prefix: '/functions/v1', rows: functionRoutes },
  pg: { title: 'postgres-meta', prefix: '/pg', rows: postgresMetaRoutes },
  mcp: { title: 'MCP', prefix: '', rows: mcpRoutes },
  undock: { title: 'Control of the running stack', prefix: '/undock/v1', rows: controlRoutes },
  console: { title: 'Console (a port of its own)', prefix: '', rows: consoleRoutes },
  mail: { title: 'Inbox (a port of its own)', prefix: '', rows: mailRoutes },
}

export type ListedRoute = {
  readonly listener: Listener
  readonly method: string
  /** From the root of the listener's address. */
  readonly path: string
  readonly access: Access
}

export const ROUTES: readonly ListedRoute[] = (Object.keys(TABLES) as Listener[]).flatMap((listener) =>
  TABLES[listener].rows.map(({ method, path, access }) => ({
    listener,
    method,
    path: TABLES[listener].prefix + path,
    access,
  })),
)

if (import.meta.main) {
  const page = join(import.meta.dirname, '..', 'docs', 'routes.md')
  const text = pageOf(ROUTES)
  if (!process.argv.includes('--check')) writeFileSync(page, text)
  else if (readFileSync(page, 'utf8') !== text) {
    console.error('docs/routes.md shows other routes. Run: node scripts/routes.ts')
    process.exit(1)
  }
}

function pageOf(routes: readonly ListedRoute[]): string {
  const used = (Object.keys(ACCESS) as Access[]).filter((access) => routes.some((one) => one.access === access))
  return [
    '# Routes',
    '',
    'Every route of a stack, with who may call it. `node scripts/routes.ts` writes this page from the tables that the listeners use,',
    'and `tests/acceptance/routes.test.ts` calls each route without the required access. The first row that matches method and path',
    'responds. The gateway refuses web pages from other machines that send the secret key, or that call `/undock` or `/mcp`.',
    '',
    '| access | who may call |',
    '|---|---|',
    ...used.map((access) => `| ${access} | ${ACCESS[access]} |`),
    ...(Object.keys(TABLES) as Listener[]).flatMap((listener) => [
      '',
      `## ${TABLES[listener].title}`,
      '',
      '| method | path | access |',
      '|---|---|---|',
      ...routes
        .filter((one) => one.listener === listener)
        .map(({ method, path, access }) => `| ${method.replaceAll('|', ' ')} | \`${path}\` | ${access} |`),
    ]),
    '',
  ].join('\n')
}
