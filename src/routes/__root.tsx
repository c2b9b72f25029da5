import { createRootRouteWithContext, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { t } from '../lib/i18n.ts'
import { useSomethingSaid } from '../lib/toast.ts'
import type { RouterContext } from '../router.tsx'

export const Route = createRootRouteWithContext<RouterContext>()({
  // Nothing may be routed, let alone drawn, before it is known whether anybody is signed in.
  beforeLoad: async ({ context: { session, restore } }) => {
    await session.ready
    const state = session.get()
    if (state.status === 'signed-in') await restore(state.session.user.id)
  },
  component: Root,
})

const Toasts = lazy(() => import('../components/toasts.tsx').then(({ Toasts }) => ({ default: Toasts })))

function Root() {
  const somethingSaid = useSomethingSaid()
  return (
    <>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('Skip to the content')}
      </a>
      <Outlet />
      <Suspense fallback={null}>{somethingSaid ? <Toasts /> : null}</Suspense>
      <PageAnnouncer />
    </>
  )
}

/** A screen reader hears of a page change only if something says so; the browser itself changed no document. */
function PageAnnouncer() {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const [title, setTitle] = useState('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes, the title is what is said
  useEffect(() => {
    const timer = setTimeout(() => setTitle(document.title), 100)
    return () => clearTimeout(timer)
  }, [path])
  return (
    <p aria-live="polite" className="sr-only">
      {title}
    </p>
  )
}
