import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { t } from '../../lib/i18n/i18n.ts'
import { useHasToasts } from '../../lib/ui/toast.ts'

const Toasts = lazy(() => import('../../components/toasts.tsx').then(({ Toasts }) => ({ default: Toasts })))

export function RootLayout() {
  const hasToasts = useHasToasts()
  return (
    <>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:start-2"
      >
        {t('Skip to the content')}
      </a>
      <Outlet />
      <Suspense fallback={null}>{hasToasts ? <Toasts /> : null}</Suspense>
      <PageAnnouncer />
    </>
  )
}

/** Announces page changes to screen readers, because no new document is loaded. */
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
