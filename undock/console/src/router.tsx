import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { Failure, Loading } from './components/states.tsx'
import { NotFound, Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const text = z.catch(z.optional(z.string()), undefined)

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'Overview'),
})
const tables = createRoute({
  getParentRoute: () => root,
  path: '/tables',
  component: lazyRouteComponent(() => import('./screens/tables.tsx'), 'Tables'),
})
/** A condition of the grid: the column, the operator, and the value as text. */
export const TableSearch = z.object({
  view: z.catch(z.optional(z.enum(['definition'])), undefined),
  /** A column's name, with a minus before it for the descending order. */
  sort: text,
  filters: z.catch(z.optional(z.array(z.tuple([z.string(), z.string(), z.string()]))), undefined),
  as: text,
})
const table = createRoute({
  getParentRoute: () => tables,
  path: '$schema/$name',
  validateSearch: TableSearch,
  component: lazyRouteComponent(() => import('./screens/table.tsx'), 'TableScreen'),
})
const sql = createRoute({
  getParentRoute: () => root,
  path: '/sql',
  validateSearch: z.object({ tab: text }),
  component: lazyRouteComponent(() => import('./screens/sql.tsx'), 'SqlScreen'),
})

const storage = createRoute({
  getParentRoute: () => root,
  path: '/storage',
  validateSearch: z.object({ as: text }),
  component: lazyRouteComponent(() => import('./screens/storage.tsx'), 'StorageScreen'),
})
const bucket = createRoute({
  getParentRoute: () => storage,
  path: '$bucket',
  /** `path` is the folder, `file` the key of the file that is shown, `q` a search in the whole bucket. */
  validateSearch: z.object({ as: text, path: text, file: text, q: text, sort: text }),
  component: lazyRouteComponent(() => import('./screens/bucket.tsx'), 'BucketScreen'),
})
const mail = createRoute({
  getParentRoute: () => root,
  path: '/mail',
  validateSearch: z.object({
    q: text,
    id: text,
    view: z.catch(z.optional(z.enum(['html', 'text', 'source'])), undefined),
  }),
  component: lazyRouteComponent(() => import('./screens/mail.tsx'), 'MailScreen'),
})
const functions = createRoute({
  getParentRoute: () => root,
  path: '/functions',
  component: lazyRouteComponent(() => import('./screens/functions.tsx'), 'FunctionsScreen'),
})
const oneFunction = createRoute({
  getParentRoute: () => functions,
  path: '$name',
  component: lazyRouteComponent(() => import('./screens/function.tsx'), 'FunctionScreen'),
})

export const createConsoleRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      overview,
      tables.addChildren([table]),
      sql,
      storage.addChildren([bucket]),
      functions.addChildren([oneFunction]),
      mail,
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
