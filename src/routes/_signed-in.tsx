import { useQueryClient } from '@tanstack/react-query'
import { createFileRoute, Link, Outlet, redirect } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { OfflineNotice } from '../components/offline-notice.tsx'
import { Wordmark } from '../components/wordmark.tsx'
import { owesSecondFactor } from '../features/account/second-factor.ts'
import { restoreUploads, useUploads } from '../features/uploads/uploads.ts'
import { t } from '../lib/i18n.ts'
import { restoreWritten } from '../lib/outbox.ts'
import { shortcutLabel, useShortcut } from '../lib/shortcut.ts'
import { useSession } from '../lib/use-session.ts'
import { UserMenu } from './_signed-in/-user-menu.tsx'
import { findWriter } from './-writers.ts'

/** Everything below is for whoever is signed in, with the second factor if they have one enrolled. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: async ({ context, location }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') throw redirect({ to: '/sign-in', search: { next: wished(location.href) } })
    if (state.recovering) throw redirect({ to: '/reset-password' })
    if (await owesSecondFactor()) throw redirect({ to: '/verify', search: { next: wished(location.href) } })
  },
  component: Shell,
})

const wished = (href: string) => (href === '/' ? undefined : href)

const UploadTray = lazy(() =>
  import('../features/uploads/upload-tray.tsx').then(({ UploadTray }) => ({ default: UploadTray })),
)
const Palette = lazy(() => import('./_signed-in/-palette.tsx').then(({ Palette }) => ({ default: Palette })))
const ShortcutSheet = lazy(() =>
  import('../features/palette/shortcut-sheet.tsx').then(({ ShortcutSheet }) => ({ default: ShortcutSheet })),
)

function Shell() {
  const uploads = useUploads()
  const { user } = useSession()
  const queryClient = useQueryClient()
  useEffect(() => void restoreUploads(user.id), [user.id])
  useEffect(() => void restoreWritten(queryClient, findWriter, user.id), [queryClient, user.id])
  const [palette, setPalette] = useState(false)
  const [sheet, setSheet] = useState(false)
  useShortcut('mod+k', () => setPalette(true))
  useShortcut('?', () => setSheet(true))
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="sticky top-0 z-20 flex h-14 items-center gap-4 border-line border-b bg-paper/95 px-4 backdrop-blur-sm sm:px-6">
        <Link to="/" className="rounded" aria-label={t('Carrel: my libraries')}>
          <Wordmark />
        </Link>
        <button
          type="button"
          onClick={() => setPalette(true)}
          className="mx-auto flex h-9 w-full max-w-md items-center gap-2.5 rounded-md border border-line bg-surface px-3 text-ink-faint text-sm transition-colors hover:border-edge"
        >
          <Search aria-hidden className="size-4" />
          <span className="truncate">{t('Go to or do…')}</span>
          <kbd className="ml-auto hidden font-sans text-xs sm:block">{shortcutLabel('mod+k')}</kbd>
        </button>
        <UserMenu onShortcuts={() => setSheet(true)} />
      </header>
      <OfflineNotice />
      <Outlet />
      <Suspense fallback={null}>
        {uploads.length > 0 ? <UploadTray /> : null}
        {palette ? <Palette open onOpenChange={setPalette} onShortcuts={() => setSheet(true)} /> : null}
        {sheet ? <ShortcutSheet open onOpenChange={setSheet} /> : null}
      </Suspense>
    </div>
  )
}
