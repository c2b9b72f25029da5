import { Link } from '@tanstack/react-router'
import { Folder } from 'lucide-react'

type Collection = { id: string; name: string; parent_id: string | null }

type CollectionTreeProps = { library: string; collections: readonly Collection[]; parent?: string | null }

/** The collections of a library, in one another. The database keeps them at most twenty deep and free of circles. */
export function CollectionTree({ library, collections, parent = null }: CollectionTreeProps) {
  const here = collections.filter(({ parent_id }) => parent_id === parent)
  if (here.length === 0) return null
  return (
    <ul className={parent ? 'ml-4 border-line border-l pl-1' : 'grid gap-0.5'}>
      {here.map(({ id, name }) => (
        <li key={id}>
          <Link
            to="/l/$library"
            params={{ library }}
            search={{ collection: id }}
            className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-ink-soft text-sm hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-ink"
          >
            <Folder aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{name}</span>
          </Link>
          <CollectionTree library={library} collections={collections} parent={id} />
        </li>
      ))}
    </ul>
  )
}
