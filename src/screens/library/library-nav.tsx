import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useMatch } from '@tanstack/react-router'
import {
  ChartNoAxesColumn,
  Highlighter,
  History,
  LayoutGrid,
  type LucideIcon,
  MessageCircleQuestion,
  PanelLeft,
  Search,
  Settings2,
  Trash2,
  Users,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useDropTarget } from '../../domain/drag-and-drop.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { isAtLeast } from '../../domain/roles.ts'
import { unreadQuery } from '../../features/activity/queries.ts'
import { CollectionsSection } from '../../features/collections/collections-section.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { countAndTitle, useShelfActions } from '../../features/documents/shelf/use-shelf-actions.ts'
import { FavoritesSection } from '../../features/favorites/favorites-section.tsx'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { useRole } from '../../features/members/use-role.ts'
import { NewsBadge } from '../../features/search/news-badge.tsx'
import { useSearchNews } from '../../features/search/use-search-news.ts'
import { setTag } from '../../features/tags/mutations.ts'
import type { Tag } from '../../features/tags/queries.ts'
import { TagsSection } from '../../features/tags/tags-section.tsx'
import { countUpTo } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { ReadersHere } from './readers-here.tsx'

const FieldsDialog = lazy(() =>
  import('../../features/fields/fields-dialog.tsx').then((it) => ({ default: it.FieldsDialog })),
)

const ApprovalDialog = lazy(() =>
  import('../../features/approval/approval-dialog.tsx').then((it) => ({ default: it.ApprovalDialog })),
)

const LINK =
  'flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm hover:bg-hover hover:text-ink [&_svg]:size-4 base:text-ink-soft data-over:bg-accent-soft data-over:outline-2 data-over:outline-accent'
const ACTIVE_LINK = 'bg-hover font-medium text-ink'

type LibraryNavProps = { library: string; name: string }

/** A library's navigation: a column on wide screens, a bar with a drawer on narrow ones. */
export function LibraryNav({ library, name }: LibraryNavProps) {
  const [drawer, setDrawer] = useState(false)
  return (
    <>
      <section
        aria-label={t('Library bar')}
        className="flex items-center gap-2 border-line border-b px-4 py-2 lg:hidden"
      >
        <IconButton
          icon={PanelLeft}
          label={t('Collections and tags')}
          size="icon"
          onClick={() => setDrawer(true)}
          className="-ms-2 rtl:-scale-x-100"
        />
        <p dir="auto" className="min-w-0 flex-1 truncate font-medium font-serif">
          {name}
        </p>
        <ReadersHere library={library} />
      </section>
      <aside
        aria-label={t('This library')}
        className="sticky below-14 hidden h-[calc(100dvh-3.5rem-var(--notice,0px))] w-64 shrink-0 overflow-y-auto border-line border-e px-4 py-6 lg:block"
      >
        <div className="flex items-start justify-between gap-2 px-2.5">
          <p dir="auto" className="min-w-0 font-semibold font-serif text-lg leading-snug">
            {name}
          </p>
          <ReadersHere library={library} />
        </div>
        <Places library={library} />
      </aside>
      <Dialog open={drawer} onOpenChange={setDrawer} title={name} shape="drawer">
        <Places library={library} onGo={() => setDrawer(false)} />
      </Dialog>
    </>
  )
}

function Places({ library, onGo }: { library: string; onGo?: () => void }) {
  const shelf = useMatch({ from: '/_signed-in/l/$library/', shouldThrow: false })
  const showsAll = shelf !== undefined && !shelf.search.collection && !shelf.search.tag
  const role = useRole(library)
  const canEdit = isAtLeast(role, 'editor')
  const { cardsOf, move, trash } = useShelfActions(library)
  const { news } = useSearchNews(library)
  const { has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const tagging = useAction(setTag)
  const moveById = (ids: string[], to: { id: string; name: string } | null) => move(cardsOf(ids), to)
  const addTag = (ids: string[], { id: tag, name }: Tag) => {
    const untagged = cardsOf(ids).filter(({ tags }) => !tags.some((one) => one.tag.id === tag))
    const change = { library, documents: untagged.map(({ id }) => id), tag }
    const done = {
      title: t('{count, plural, =1 {“{title}” is tagged “{name}”} other {# documents are tagged “{name}”}}', {
        ...countAndTitle(untagged),
        name,
      }),
      action: { label: t('Undo'), onClick: () => tagging.mutate({ ...change, on: false }) },
    }
    if (untagged.length > 0) tagging.mutate({ ...change, on: true }, { onSuccess: () => showToast(done) })
  }
  const outside = useDropTarget({ documents: canEdit ? (ids) => moveById(ids, null) : undefined })
  const [fieldsOf, setFieldsOf] = useState<string>()
  const [approvalOf, setApprovalOf] = useState<string>()
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const described = collections.find(({ id }) => id === fieldsOf)
  const approved = collections.find(({ id }) => id === approvalOf)
  return (
    <nav
      aria-label={t('Library')}
      className="mt-4 grid grid-cols-1 gap-6"
      onClickCapture={({ target }) => target instanceof Element && target.closest('a') && onGo?.()}
    >
      <ul className="grid grid-cols-1 gap-0.5">
        <li>
          <Link
            to="/l/$library"
            params={{ library }}
            activeOptions={{ exact: true, includeSearch: false }}
            className={classNames(LINK, showsAll && ACTIVE_LINK)}
            {...outside}
          >
            <LayoutGrid aria-hidden />
            {t('All documents')}
          </Link>
        </li>
        <Place to="/l/$library/search" icon={Search} library={library}>
          {t('Search')}
          <span className="ms-auto">
            <NewsBadge passages={[...news.values()].reduce((sum, passages) => sum + passages, 0)} />
          </span>
        </Place>
        <Place to="/l/$library/ask" icon={MessageCircleQuestion} library={library}>
          {t('Ask')}
        </Place>
        <Place to="/l/$library/highlights" icon={Highlighter} library={library}>
          {t('Highlights')}
        </Place>
        <LibraryLinks library={library} />
        {canEdit ? (
          <Place
            to="/l/$library/trash"
            icon={Trash2}
            library={library}
            onDocuments={(documents) => trash(cardsOf(documents))}
          >
            {t('Trash')}
          </Place>
        ) : null}
      </ul>
      <FavoritesSection library={library} />
      <CollectionsSection
        library={library}
        canEdit={canEdit}
        stars={{
          has: isFavorite,
          toggle: ({ id, name }) => toggleFavorite({ library, collection: { id, name } }),
        }}
        onDocuments={moveById}
        onFields={setFieldsOf}
        onApproval={role === 'owner' ? setApprovalOf : undefined}
      />
      <TagsSection library={library} canEdit={canEdit} onDocuments={addTag} />
      <Suspense fallback={<Opening />}>
        {described ? (
          <FieldsDialog library={library} collection={described} onClose={() => setFieldsOf(undefined)} />
        ) : null}
        {approved ? (
          <ApprovalDialog library={library} collection={approved} isOwner onClose={() => setApprovalOf(undefined)} />
        ) : null}
      </Suspense>
    </nav>
  )
}

type PlaceProps = {
  library: string
  to: Extract<LinkProps['to'], `/l/$library/${string}`>
  icon: LucideIcon
  onDocuments?: (ids: string[]) => void
  children: ReactNode
}

/** A link to one of a library's screens. @param onDocuments Called with documents dropped on it. */
function Place({ library, to, icon: Icon, onDocuments, children }: PlaceProps) {
  const target = useDropTarget({ documents: onDocuments })
  return (
    <li>
      <Link to={to} params={{ library }} activeProps={{ className: ACTIVE_LINK }} className={LINK} {...target}>
        <Icon aria-hidden />
        {children}
      </Link>
    </li>
  )
}

/** Links to a library's screens, except for guests. */
function LibraryLinks({ library }: { library: string }) {
  const role = useRole(library)
  const { data: unread = [] } = useQuery(unreadQuery)
  const news = unread.find(({ library_id }) => library_id === library)?.unread ?? 0
  if (role === 'guest') return null
  return (
    <>
      <Place to="/l/$library/activity" icon={History} library={library}>
        {t('Activity')}
        {news > 0 ? (
          <span className="ms-auto rounded-full bg-accent-soft px-2 font-medium text-accent-strong text-xs leading-5">
            {countUpTo(99, news)}
            <span className="sr-only"> {t('new')}</span>
          </span>
        ) : null}
      </Place>
      <Place to="/l/$library/members" icon={Users} library={library}>
        {t('Members')}
      </Place>
      <Place to="/l/$library/insights" icon={ChartNoAxesColumn} library={library}>
        {t('Insights')}
      </Place>
      <Place to="/l/$library/settings" icon={Settings2} library={library}>
        {t('Settings')}
      </Place>
    </>
  )
}
