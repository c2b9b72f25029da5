import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { headingWithin } from '../../domain/passage-heading.ts'
import { passagePlace } from '../../domain/recognition.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { excerpt } from './hits.ts'
import type { Hit } from './queries.ts'
import type { Expansion } from './use-expanded-documents.ts'

type DocumentHitsProps = {
  level: 2 | 3
  library: string
  query: string
  passages: readonly Hit[]
  /** Expands all passages in place; without it, links to the library's search. */
  onMore: ((document: string) => void) | undefined
  expansion: Expansion | undefined
  onOpen: () => void
}

export function DocumentHits({ level, library, query, passages, expansion, onMore, onOpen }: DocumentHitsProps) {
  const Heading = `h${level}` as const
  const [first] = passages
  if (!first) return null
  // The first passages stay in place, so that nothing moves under the pointer.
  const all = expansion?.passages
  const others = all?.filter(({ passage_id }) => !passages.some((one) => one.passage_id === passage_id)) ?? []
  const more = all ? 0 : first.more_in_document
  const count = t('{count, plural, one {# passage} other {# passages}}', {
    count: passages.length + others.length + more,
  })
  return (
    <section aria-label={first.title}>
      <header className="mb-3 flex items-baseline justify-between gap-4">
        <Heading dir="auto" className="min-w-0 truncate font-semibold font-serif text-lg">
          <Link
            to="/l/$library/d/$document"
            params={{ library, document: first.document_id }}
            className="rounded hover:text-accent-strong"
          >
            {first.title}
          </Link>
        </Heading>
        <span className="shrink-0 text-ink-faint text-xs">{count}</span>
      </header>
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        <ol className="divide-y divide-line">
          {[...passages, ...others].map((hit) => (
            <li key={hit.passage_id}>
              <PassageHit library={library} query={query} hit={hit} onOpen={onOpen} />
            </li>
          ))}
        </ol>
        {more > 0 ? (
          onMore ? (
            <Button
              data-row
              size="small"
              look="quiet"
              busy={expansion !== undefined && !expansion.error}
              onClick={({ currentTarget }) => {
                // The button disappears, so the focus moves to the rows.
                const rows = currentTarget.closest('section')?.querySelectorAll<HTMLElement>('a[data-row]')
                if (document.activeElement === currentTarget) rows?.item(rows.length - 1).focus()
                if (expansion) expansion.retry()
                else onMore(first.document_id)
              }}
              className={MORE_ROW}
            >
              <More count={more} />
            </Button>
          ) : (
            <Button asChild size="small" look="quiet" className={MORE_ROW}>
              <Link
                data-row
                to="/l/$library/search"
                params={{ library }}
                search={{ q: query, more: [first.document_id] }}
              >
                <More count={more} />
              </Link>
            </Button>
          )
        ) : null}
        <FailureNotice error={expansion?.error} />
      </div>
    </section>
  )
}

const MORE_ROW = 'w-full justify-start rounded-none border-line border-t px-4 outline-offset-[-2px] sm:px-5'

function More({ count }: { count: number }) {
  return (
    <>
      <ChevronDown aria-hidden />
      {t('{count} more in this document', { count })}
    </>
  )
}

type PassageHitProps = { library: string; query: string; hit: Hit; onOpen: () => void }

function PassageHit({ library, query, hit, onOpen }: PassageHitProps) {
  const heading = headingWithin(hit.heading, hit.title)
  const page = passagePlace(hit)
  return (
    <Link
      data-row
      data-hit
      to="/l/$library/d/$document"
      params={{ library, document: hit.document_id }}
      search={{ passage: hit.passage_id, q: query }}
      onClick={onOpen}
      className="block px-4 py-3.5 outline-offset-[-2px] transition-colors hover:bg-hover/70 focus-visible:bg-hover/70 sm:px-5"
    >
      {page || heading ? (
        <p className="eyebrow mb-1 flex">
          {page ? <span className="shrink-0 whitespace-pre">{heading ? `${page} · ` : page}</span> : null}
          <span dir="auto" className="min-w-0 truncate">
            {heading}
          </span>
        </p>
      ) : null}
      <p dir="auto" className="line-clamp-5 text-start font-serif text-[1.0625rem] leading-[1.6]">
        {excerpt(hit.content, hit.highlights).map(({ start, text, marked }) =>
          marked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
        )}
      </p>
      {/* Matching words are marked in the text. */}
      {hit.related && hit.matched.length === 0 ? (
        <p className="mt-2 text-ink-faint text-xs">{t('Related in meaning')}</p>
      ) : null}
    </Link>
  )
}
