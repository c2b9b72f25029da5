import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import * as Direction from 'radix-ui/direction'
import { lazy, Suspense, useEffect, useState } from 'react'
import { ConnectionNotice } from '../../components/connection-notice.tsx'
import { TooltipLayer } from '../../components/tooltip.tsx'
import { Wordmark } from '../../components/wordmark.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { showFailure } from '../../domain/failure-toast.ts'
import { kindOfName } from '../../domain/file-kinds.ts'
import { recognitionLanguages } from '../../domain/recognition.ts'
import { useMailLanguage } from '../../features/account/use-mail-language.ts'
import { covers } from '../../features/documents/covers/covers.ts'
import { isDrawable } from '../../features/documents/covers/drawable.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { usePersonLive } from '../../features/live/person-live.ts'
import { InboxLink } from '../../features/notifications/inbox-link.tsx'
import { useTimeZone } from '../../features/notifications/use-time-zone.ts'
import { recognition, restoreRecognition, useRecognition } from '../../features/recognition/recognition.ts'
import { titleOf } from '../../features/uploads/limits.ts'
import type { Upload } from '../../features/uploads/upload-queue.ts'
import { restoreUploads, uploads, useUploads } from '../../features/uploads/uploads.ts'
import { isRightToLeft, t } from '../../lib/i18n/i18n.ts'
import { restoreOutbox } from '../../lib/offline/outbox.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { shortcutLabel, useShortcut } from '../../lib/ui/shortcut.ts'
import { awaitFieldOf, Opening } from '../../lib/ui/typed-ahead.ts'
import { refreshPins, restorePins } from './pinned-collections.ts'
import { UserMenu } from './user-menu.tsx'

const UploadTray = lazy(() =>
  import('../../features/uploads/upload-tray.tsx').then(({ UploadTray }) => ({ default: UploadTray })),
)
const RecognitionTray = lazy(() =>
  import('../../features/recognition/recognition-tray.tsx').then(({ RecognitionTray }) => ({
    default: RecognitionTray,
  })),
)
const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))
const ShortcutSheet = lazy(() =>
  import('../../features/palette/shortcut-sheet.tsx').then(({ ShortcutSheet }) => ({ default: ShortcutSheet })),
)

export function SignedInLayout() {
  return (
    // Radix takes the direction from here, also in portals.
    <Direction.Provider dir={isRightToLeft() ? 'rtl' : 'ltr'}>
      <Layout />
    </Direction.Provider>
  )
}

function Layout() {
  const uploads = useUploads()
  // Most uploads have text and are removed from the list quickly.
  const hasRecognition = useRecognition().some(({ state }) => state.step !== 'waiting')
  const { user } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  useMailLanguage(user)
  usePersonLive(user.id, () => refreshPins(queryClient))
  useTimeZone(user.id)
  useEffect(() => {
    void restoreUploads(user.id)
    restoreRecognition(user.id)
  }, [user.id])
  useEffect(() => recognizeUploads(queryClient), [queryClient])
  useEffect(recognizeWaiting, [])
  useEffect(() => restorePins(user.id, queryClient), [queryClient, user.id])
  useEffect(coverUploads, [])
  useEffect(() => {
    const loadDefinitions = () => import('./offline-mutations.ts')
    const isWorthRetrying = (error: unknown) => describeFailure(error).worthRetrying
    void restoreOutbox(user.id, { queryClient, loadDefinitions, isWorthRetrying, onError: showFailure })
  }, [queryClient, user.id])
  const [palette, setPalette] = useState(false)
  const [sheet, setSheet] = useState(false)
  useShortcut('mod+k', () => setPalette(true))
  useShortcut('?', () => setSheet(true))
  useShortcut('g i', () => void navigate({ to: '/inbox', search: {} }))
  useShortcut('g l', () => void navigate({ to: '/' }))
  const router = useRouter()
  useEffect(() => {
    awaitFieldOf(router.state.location)
    // The page's field may have been first.
    document.activeElement?.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
    return router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
      if (pathChanged) awaitFieldOf(toLocation)
    })
  }, [router])
  return (
    <div className="flex min-h-dvh flex-col has-[>[role=status]]:[--notice:--spacing(11)]">
      <header
        data-chrome
        className="sticky top-0 z-20 flex h-14 items-center gap-4 border-line border-b bg-paper px-4 sm:px-6"
      >
        <Link to="/" className="rounded" aria-label={t('Carrel: my libraries')}>
          <Wordmark />
        </Link>
        <button
          type="button"
          onClick={() => setPalette(true)}
          className="mx-auto flex h-9 w-full min-w-0 max-w-md items-center gap-2.5 rounded-md border border-line bg-surface px-3 text-ink-faint text-sm transition-colors hover:border-edge"
        >
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="truncate">{t('Find documents, passages, people and commands…')}</span>
          <span className="ms-auto hidden text-xs sm:block">
            <kbd className="font-sans">{shortcutLabel('mod+k')}</kbd>
          </span>
        </button>
        <div className="flex shrink-0 items-center gap-2">
          <InboxLink />
          <UserMenu onShortcuts={() => setSheet(true)} />
        </div>
      </header>
      <ConnectionNotice />
      <Outlet />
      <Suspense fallback={null}>
        {uploads.length > 0 || hasRecognition ? (
          <>
            {/* Space to scroll the page's end out from under the tray. */}
            <div aria-hidden className="h-80" />
            <div className="fixed inset-x-3 bottom-3 z-30 grid gap-2 sm:start-auto sm:w-96">
              {hasRecognition ? <RecognitionTray /> : null}
              {uploads.length > 0 ? <UploadTray /> : null}
            </div>
          </>
        ) : null}
      </Suspense>
      <Suspense fallback={<Opening />}>
        {palette ? <Palette open onOpenChange={setPalette} onShortcuts={() => setSheet(true)} /> : null}
        {sheet ? <ShortcutSheet open onOpenChange={setSheet} /> : null}
      </Suspense>
      <TooltipLayer />
    </div>
  )
}

/** Milliseconds before it starts, after the page's own requests. */
const DELAY = 5_000

/** Recognizes waiting scans. The code is loaded then; offline, on the next visit. @returns a function that stops it. */
function recognizeWaiting(): () => void {
  let started: Promise<() => void> | undefined
  const timer = setTimeout(() => {
    started = import('../../features/recognition/recognize-in-background.ts').then(({ recognizeInBackground }) =>
      recognizeInBackground(),
    )
    started.catch(() => {})
  }, DELAY)
  return () => {
    clearTimeout(timer)
    void started?.then((stop) => stop()).catch(() => {})
  }
}

/** Recognizes uploaded scans and images in libraries with recognition on. @returns a function that stops it. */
function recognizeUploads(queryClient: QueryClient): () => void {
  const seen = new Set<string>()
  return uploads.subscribe(() => {
    for (const upload of uploads.get()) {
      if (upload.state.step !== 'done' || seen.has(upload.id)) continue
      seen.add(upload.id)
      // On failure, the document itself offers recognition.
      void recognizeUpload(upload, upload.state.document, queryClient).catch(() => {})
    }
  })
}

async function recognizeUpload({ library, file }: Upload, document: string, queryClient: QueryClient): Promise<void> {
  const shown = kindOfName(file.name).show
  if (shown !== 'pages' && shown !== 'picture') return
  const { recognition_languages } = await queryClient.query(libraryQuery(library))
  if (recognitionLanguages(recognition_languages).length === 0) return
  recognition.add({ library, document, title: titleOf(file.name) })
}

const BUSY = new Set(['waiting', 'checking', 'sending', 'filing'])

/** Creates covers of uploaded PDFs and images when no upload is running. @returns a function that stops it. */
function coverUploads(): () => void {
  const seen = new Set<string>()
  return uploads.subscribe(() => {
    const all = uploads.get()
    covers.setPaused(all.some(({ state }) => BUSY.has(state.step)))
    for (const { id, file, state } of all) {
      if (state.step !== 'done' || seen.has(id)) continue
      seen.add(id)
      if (isDrawable(kindOfName(file.name).mediaType)) covers.add({ document: state.document, file })
    }
  })
}
