import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useMatch } from '@tanstack/react-router'
import { FolderPlus, LayoutGrid, PanelLeft, Search, Users } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CollectionTree } from '../../features/documents/collection-tree.tsx'
import { addCollection } from '../../features/documents/mutations.ts'
import { NameDialog } from '../../features/documents/name-dialog.tsx'
import { collectionsQuery, tagsQuery } from '../../features/documents/queries.ts'
import { classNames } from '../../lib/class-names.ts'
import { keys } from '../../lib/keys.ts'
import { sayFailure } from '../../lib/toast.ts'
import { ReadersHere } from './-readers-here.tsx'

const PLACE =
  'flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm hover:bg-hover hover:text-ink [&_svg]:size-4 base:text-ink-soft'
const HERE = 'bg-hover font-medium text-ink'

type LibraryNavProps = { library: string; name: string }

/** The way around one library: a column on a wide screen, a bar with a drawer on a narrow one. */
export function LibraryNav({ library, name }: LibraryNavProps) {
  const [drawer, setDrawer] = useState(false)
  return (
    <>
      <section aria-label="Library bar" className="flex items-center gap-2 border-line border-b px-4 py-2 lg:hidden">
        <Button
          look="quiet"
          size="icon"
          aria-label="Collections and tags"
          onClick={() => setDrawer(true)}
          className="-ml-2"
        >
          <PanelLeft aria-hidden />
        </Button>
        <p className="min-w-0 flex-1 truncate font-medium font-serif">{name}</p>
        <ReadersHere library={library} />
        <Button look="quiet" size="icon" asChild className="-mr-2">
          <Link to="/l/$library/search" params={{ library }} aria-label="Search this library">
            <Search aria-hidden />
          </Link>
        </Button>
      </section>
      <aside
        aria-label="This library"
        className="sticky top-14 hidden h-[calc(100dvh-3.5rem)] w-64 shrink-0 overflow-y-auto border-line border-r px-4 py-6 lg:block"
      >
        <div className="flex items-start justify-between gap-2 px-2.5">
          <p className="min-w-0 font-semibold font-serif text-lg leading-snug">{name}</p>
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
  const queryClient = useQueryClient()
  const shelf = useMatch({ from: '/_signed-in/l/$library/', shouldThrow: false })
  const showsAll = shelf !== undefined && !shelf.search.collection && !shelf.search.tag
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: tags = [] } = useQuery(tagsQuery(library))
  const [naming, setNaming] = useState(false)
  const addition = useMutation({
    ...addCollection,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.collections(library) }),
    onError: sayFailure,
  })
  return (
    <nav aria-label="Library" className="mt-4 grid gap-6" onClickCapture={onGo}>
      <ul className="grid gap-0.5">
        <li>
          <Link
            to="/l/$library"
            params={{ library }}
            activeOptions={{ exact: true, includeSearch: false }}
            className={classNames(PLACE, showsAll && HERE)}
          >
            <LayoutGrid aria-hidden />
            All documents
          </Link>
        </li>
        <li>
          <Link to="/l/$library/search" params={{ library }} activeProps={{ className: HERE }} className={PLACE}>
            <Search aria-hidden />
            Search
          </Link>
        </li>
        <li>
          <Link to="/l/$library/members" params={{ library }} activeProps={{ className: HERE }} className={PLACE}>
            <Users aria-hidden />
            Members
          </Link>
        </li>
      </ul>
      <section>
        <div className="flex items-center justify-between pl-2.5">
          <h2 className="eyebrow">Collections</h2>
          <Button look="quiet" size="small-icon" aria-label="New collection" onClick={() => setNaming(true)}>
            <FolderPlus aria-hidden />
          </Button>
        </div>
        {collections.length > 0 ? (
          <CollectionTree library={library} collections={collections} />
        ) : (
          <p className="px-2.5 text-ink-faint text-xs leading-relaxed">Make one to keep what belongs together.</p>
        )}
      </section>
      {tags.length > 0 ? (
        <section>
          <h2 className="eyebrow mb-1 px-2.5">Tags</h2>
          <ul className="grid gap-0.5">
            {tags.map(({ id, name }) => (
              <li key={id}>
                <Link
                  to="/l/$library"
                  params={{ library }}
                  search={{ tag: id }}
                  activeProps={{ className: HERE }}
                  className={PLACE}
                >
                  <span aria-hidden className="text-ink-faint">
                    #
                  </span>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {naming ? (
        <NameDialog
          title="A new collection"
          label="Name"
          initial=""
          longest={120}
          action="Create"
          onName={(name) => addition.mutate({ library, name })}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </nav>
  )
}
