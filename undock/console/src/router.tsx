import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { Failure, Loading } from './components/states.tsx'
import { DETAILS } from './features/diagram/layout.ts'
import { RealtimeSearch } from './features/realtime/settings.ts'
import { NotFound, Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const atRoot = <const P extends string>(path: P) => ({ getParentRoute: () => root, path })
const oneOf = <const V extends readonly string[]>(values: V) => z.catch(z.optional(z.enum(values)), undefined)
const text = z.catch(z.optional(z.string()), undefined)
/** The source of requests: the running backend, or the saved file open in the page. */
const requestSource = z.catch(z.optional(z.literal('file')), undefined)

const overview = createRoute({
  ...atRoot('/'),
  component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'Overview'),
})
const flag = z.catch(z.optional(z.literal(true)), undefined)
const starter = createRoute({
  ...atRoot('/starters/$name'),
  component: lazyRouteComponent(() => import('./screens/starter.tsx'), 'StarterScreen'),
})
const tables = createRoute({
  ...atRoot('/tables'),
  /** `new` opens the form of a new table. */
  validateSearch: z.object({ new: flag }),
  component: lazyRouteComponent(() => import('./screens/tables.tsx'), 'Tables'),
})
/** A condition of the grid: the column, the operator, and the value as text. */
const TableSearch = z.object({
  view: oneOf(['definition']),
  dialog: oneOf(['import', 'export', 'plan', 'values']),
  /** A column's name, prefixed with a minus for descending order. */
  sort: text,
  filters: z.catch(z.optional(z.array(z.tuple([z.string(), z.string(), z.string()]))), undefined),
  /** The last rows, or those after about so many percent. */
  part: z.catch(z.optional(z.union([z.literal('end'), z.number().check(z.minimum(1), z.maximum(99))])), undefined),
  /** A vector column, the distance operator, and the key of the row to measure from. */
  near: z.catch(
    z.optional(z.tuple([z.string(), z.enum(['<=>', '<->', '<#>', '<+>'])], z.nullable(z.string()))),
    undefined,
  ),
  as: text,
})
const table = createRoute({
  getParentRoute: () => tables,
  path: '$schema/$name',
  validateSearch: TableSearch,
  component: lazyRouteComponent(() => import('./screens/table.tsx'), 'TableScreen'),
})
const sql = createRoute({
  ...atRoot('/sql'),
  /** `snippet` is the name of a file in supabase/snippets, without `.sql`. */
  validateSearch: z.object({ tab: text, snippet: text }),
  component: lazyRouteComponent(() => import('./screens/sql.tsx'), 'SqlScreen'),
})
const requests = createRoute({
  ...atRoot('/requests'),
  validateSearch: z.object({
    failed: z.catch(z.optional(z.literal(true)), undefined),
    /** Milliseconds. */
    slow: z.catch(z.optional(z.number()), undefined),
    service: text,
    text,
    source: requestSource,
  }),
  component: lazyRouteComponent(() => import('./screens/requests.tsx'), 'Requests'),
})
const request = createRoute({
  ...atRoot('/requests/$id'),
  validateSearch: z.object({ source: requestSource }),
  component: lazyRouteComponent(() => import('./screens/request.tsx'), 'RequestScreen'),
})
const logs = createRoute({
  ...atRoot('/logs'),
  validateSearch: z.object({
    service: text,
    level: oneOf(['warn', 'error']),
    text,
    /** The id of a request. */
    request: text,
  }),
  component: lazyRouteComponent(() => import('./screens/logs.tsx'), 'Logs'),
})
const schema = createRoute({
  ...atRoot('/schema'),
  component: lazyRouteComponent(() => import('./screens/schema.tsx'), 'Schema'),
})
const diagram = createRoute({
  getParentRoute: () => schema,
  path: '/',
  /** `schema` is `*` for all, `table` the `schema.name` of the open table. */
  validateSearch: z.object({
    schema: text,
    text,
    table: text,
    detail: oneOf(DETAILS),
  }),
  component: lazyRouteComponent(() => import('./screens/diagram.tsx'), 'DiagramScreen'),
})
const objects = createRoute({
  getParentRoute: () => schema,
  path: '$section',
  validateSearch: z.object({
    text,
    /** `*` for all. */
    schema: text,
    /** The id of the object whose details are shown. */
    open: text,
  }),
  component: lazyRouteComponent(() => import('./screens/objects.tsx'), 'Objects'),
})
const logQuery = createRoute({
  ...atRoot('/logs/sql'),
  /** `snippet` is a saved query, as for `/sql`. */
  validateSearch: z.object({ snippet: text }),
  component: lazyRouteComponent(() => import('./screens/log-query.tsx'), 'LogQuery'),
})
const database = createRoute({
  ...atRoot('/database'),
  validateSearch: z.object({
    part: oneOf(['sessions', 'statements', 'tables', 'indexes']),
    text,
  }),
  component: lazyRouteComponent(() => import('./screens/database.tsx'), 'DatabaseScreen'),
})
const advisors = createRoute({
  ...atRoot('/advisors'),
  validateSearch: z.object({ category: oneOf(['SECURITY', 'PERFORMANCE']), text }),
  component: lazyRouteComponent(() => import('./screens/advisors.tsx'), 'Advisors'),
})
const users = createRoute({
  ...atRoot('/users'),
  validateSearch: z.object({
    search: text,
    provider: text,
    state: oneOf(['unconfirmed', 'banned', 'anonymous', 'deleted']),
    add: flag,
  }),
  component: lazyRouteComponent(() => import('./screens/users.tsx'), 'Users'),
})
const user = createRoute({
  ...atRoot('/users/$id'),
  validateSearch: z.object({ dialog: oneOf(['sign-in', 'delete']) }),
  component: lazyRouteComponent(() => import('./screens/user.tsx'), 'UserScreen'),
})
const token = createRoute({
  ...atRoot('/users/token'),
  component: lazyRouteComponent(() => import('./screens/token.tsx'), 'TokenScreen'),
})
const policies = createRoute({
  ...atRoot('/policies'),
  validateSearch: z.object({
    schema: text,
    search: text,
    show: oneOf(['open', 'off', 'closed']),
  }),
  component: lazyRouteComponent(() => import('./screens/policies.tsx'), 'Policies'),
})
const tablePolicies = createRoute({
  ...atRoot('/policies/$schema/$name'),
  /** `policy` is the edited one, `new` whether to create one; the others are its initial values. */
  validateSearch: z.object({
    policy: text,
    new: flag,
    bucket: text,
    command: oneOf(['select', 'insert', 'update', 'delete']),
    role: text,
  }),
  component: lazyRouteComponent(() => import('./screens/table-policies.tsx'), 'TablePolicies'),
})
const explain = createRoute({
  ...atRoot('/policies/explain'),
  /** A past request by its id, or a hypothetical one; `row` is the text of a JSON object. */
  validateSearch: z.object({
    request: text,
    as: text,
    action: text,
    target: text,
    where: text,
    row: text,
    returning: flag,
  }),
  component: lazyRouteComponent(() => import('./screens/explain.tsx'), 'Explain'),
})

const storage = createRoute({
  ...atRoot('/storage'),
  /** `new` opens the form of a new bucket. */
  validateSearch: z.object({ as: text, new: flag }),
  component: lazyRouteComponent(() => import('./screens/storage.tsx'), 'StorageScreen'),
})
const bucket = createRoute({
  getParentRoute: () => storage,
  path: '$bucket',
  /** `path` is the folder, `file` the key of the open file, `q` a search in the whole bucket. */
  validateSearch: z.object({ as: text, path: text, file: text, q: text, sort: text }),
  component: lazyRouteComponent(() => import('./screens/bucket.tsx'), 'BucketScreen'),
})
const mail = createRoute({
  ...atRoot('/mail'),
  validateSearch: z.object({
    q: text,
    id: text,
    view: oneOf(['html', 'text', 'source']),
  }),
  component: lazyRouteComponent(() => import('./screens/mail.tsx'), 'MailScreen'),
})
const mailTemplates = createRoute({
  ...atRoot('/mail/templates'),
  /** The open template, as named in config.toml. */
  validateSearch: z.object({ kind: text }),
  component: lazyRouteComponent(() => import('./screens/mail-templates.tsx'), 'MailTemplatesScreen'),
})
const settings = createRoute({
  ...atRoot('/settings'),
  /** The open part of config.toml. */
  validateSearch: z.object({ group: text }),
  component: lazyRouteComponent(() => import('./screens/settings.tsx'), 'SettingsScreen'),
})
const functions = createRoute({
  ...atRoot('/functions'),
  component: lazyRouteComponent(() => import('./screens/functions.tsx'), 'FunctionsScreen'),
})
const oneFunction = createRoute({
  getParentRoute: () => functions,
  path: '$name',
  component: lazyRouteComponent(() => import('./screens/function.tsx'), 'FunctionScreen'),
})
const realtime = createRoute({
  ...atRoot('/realtime'),
  validateSearch: RealtimeSearch,
  component: lazyRouteComponent(() => import('./screens/realtime.tsx'), 'RealtimeScreen'),
})
const branches = createRoute({
  ...atRoot('/branches'),
  /** `add` is what's being created, `compare` the branch to compare with the current one. */
  validateSearch: z.object({ add: oneOf(['branch', 'snapshot']), compare: text }),
  component: lazyRouteComponent(() => import('./screens/branches.tsx'), 'Branches'),
})
const timeAndFaults = createRoute({
  ...atRoot('/time-and-faults'),
  component: lazyRouteComponent(() => import('./screens/time-and-faults.tsx'), 'TimeAndFaults'),
})

export const createConsoleRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      overview,
      starter,
      tables.addChildren([table]),
      sql,
      schema.addChildren([diagram, objects]),
      requests,
      request,
      logs,
      logQuery,
      database,
      advisors,
      users,
      user,
      token,
      policies,
      tablePolicies,
      explain,
      storage.addChildren([bucket]),
      functions.addChildren([oneFunction]),
      mail,
      mailTemplates,
      realtime,
      branches,
      settings,
      timeAndFaults,
    ]),
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
    defaultPendingComponent: () => <Loading />,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
