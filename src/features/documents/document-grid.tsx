import { Link } from '@tanstack/react-router'
import { formatBytes, formatSince, plural } from '../../lib/format.ts'
import { DocumentActions, type DocumentHandlers } from './document-actions.tsx'
import { IndexingState } from './indexing-state.tsx'
import { describeKind } from './kinds.ts'
import type { Card } from './queries.ts'
import { TagList } from './tag-list.tsx'

type DocumentsProps = { library: string; documents: readonly Card[]; handlers: DocumentHandlers }

/** What there is to say about a document's extent: pages where it has some, size where it is a file. */
export const extentOf = ({ page_count, size_bytes }: Pick<Card, 'page_count' | 'size_bytes'>): string =>
  [page_count ? plural(page_count, 'page') : '', size_bytes ? formatBytes(size_bytes) : ''].filter(Boolean).join(' · ')

export function DocumentGrid({ library, documents, handlers }: DocumentsProps) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(15.5rem,100%),1fr))] gap-4 sm:gap-5">
      {documents.map((document) => {
        const { label, icon: Icon } = describeKind(document)
        return (
          <li key={document.id}>
            <article
              aria-label={document.title}
              className="group relative flex h-full flex-col sm:min-h-52 gap-3 rounded-lg border border-line bg-surface p-4 transition-[border-color,box-shadow] hover:border-edge hover:shadow-lift"
            >
              <div className="flex items-center justify-between">
                <span className="eyebrow flex items-center gap-1.5">
                  <Icon aria-hidden className="size-3.5 text-accent" />
                  {label}
                </span>
                <div className="-my-2 -mr-2">
                  <DocumentActions library={library} document={document} handlers={handlers} />
                </div>
              </div>
              <h2 className="line-clamp-4 font-medium font-serif text-[1.1875rem] leading-[1.3]">
                <Link
                  to="/l/$library/d/$document"
                  params={{ library, document: document.id }}
                  className="after:absolute after:inset-0 after:rounded-lg"
                >
                  {document.title}
                </Link>
              </h2>
              <TagList tags={document.tags} />
              <div className="mt-auto grid gap-2.5 pt-2">
                <IndexingState document={document} onRetry={() => handlers.onIndex(document)} />
                <p className="flex justify-between gap-3 border-line border-t pt-2.5 text-ink-faint text-xs">
                  <span className="truncate">{extentOf(document) || document.author?.display_name}</span>
                  <time dateTime={document.created_at} className="shrink-0">
                    {formatSince(document.created_at)}
                  </time>
                </p>
              </div>
            </article>
          </li>
        )
      })}
    </ul>
  )
}
