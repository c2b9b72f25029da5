import { Link } from '@tanstack/react-router'
import { formatSince } from '../../lib/format.ts'
import { DocumentActions, type DocumentHandlers } from './document-actions.tsx'
import { extentOf } from './document-grid.tsx'
import { IndexingState } from './indexing-state.tsx'
import { describeKind } from './kinds.ts'
import type { Card } from './queries.ts'
import { TagList } from './tag-list.tsx'

type DocumentsProps = { library: string; documents: readonly Card[]; handlers: DocumentHandlers }

export function DocumentTable({ library, documents, handlers }: DocumentsProps) {
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-line border-b text-left [&>th]:eyebrow [&>th]:py-2 [&>th]:pr-4">
          <th scope="col">Title</th>
          <th scope="col" className="hidden sm:table-cell">
            Kind
          </th>
          <th scope="col" className="hidden lg:table-cell">
            Added by
          </th>
          <th scope="col" className="hidden md:table-cell">
            Added
          </th>
          <th scope="col" className="w-8">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <tr
            key={document.id}
            className="border-line border-b hover:bg-hover/60 [&>td]:py-2.5 [&>td]:pr-4 [&>td]:align-top"
          >
            <td>
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: document.id }}
                className="rounded font-medium font-serif text-base hover:text-accent-strong"
              >
                {document.title}
              </Link>
              <div className="mt-1 grid max-w-md gap-1.5">
                <TagList tags={document.tags} />
                <IndexingState document={document} onRetry={() => handlers.onIndex(document)} />
              </div>
            </td>
            <td className="hidden whitespace-nowrap text-ink-soft sm:table-cell">
              {describeKind(document).label}
              <span className="block text-ink-faint text-xs">{extentOf(document)}</span>
            </td>
            <td className="hidden text-ink-soft lg:table-cell">
              {document.author?.display_name ?? 'Somebody who left'}
            </td>
            <td className="hidden whitespace-nowrap text-ink-soft md:table-cell">
              <time dateTime={document.created_at}>{formatSince(document.created_at)}</time>
            </td>
            <td>
              <div className="-my-1">
                <DocumentActions library={library} document={document} handlers={handlers} />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
