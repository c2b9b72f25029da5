import { createRouter } from '@tanstack/react-router'
import { FailureView } from './components/failure-view.tsx'
import { NotFoundView } from './components/not-found-view.tsx'
import { PageSkeleton } from './components/page-skeleton.tsx'
import { routeTree } from './route-tree.gen.ts'
import type { RouterContext } from './routes/__root.tsx'

export const createAppRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
    defaultPreload: 'intent',
    // TanStack Query decides when data is stale.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 600,
    defaultPendingMinMs: 300,
    scrollRestoration: true,
    defaultErrorComponent: FailureView,
    defaultNotFoundComponent: NotFoundView,
    defaultPendingComponent: PageSkeleton,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
