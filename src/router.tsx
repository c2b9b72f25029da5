import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { FailureView } from './components/failure-view.tsx'
import { NotFoundView } from './components/not-found-view.tsx'
import { PageSkeleton } from './components/page-skeleton.tsx'
import type { SessionStore } from './lib/session.ts'
import { routeTree } from './route-tree.gen.ts'

export type RouterContext = {
  queryClient: QueryClient
  session: SessionStore
  /** Brings back what this person has read before. */
  restore: (person: string) => Promise<void>
}

export const createAppRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
    defaultPreload: 'intent',
    // Query decides how old is too old; the router keeps nothing of its own.
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
