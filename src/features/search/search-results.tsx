import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { headingWithin } from '../../domain/passage-heading.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useListKeys } from '../../lib/ui/use-list-keys.ts'
import { groupByDocument, splitAtHighlights, whyMatched } from './hits.ts'
import type { Hit } from './queries.ts'

type SearchResultsProps = { library: string; words: string; hits: readonly Hit[] }

export function SearchResults({ library, words, hits }: SearchResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  const groups = groupByDocument(hits)
  useListKeys(hits.length, (index) => list.current?.querySelectorAll<HTMLElement>('[data-hit]')[index]?.focus())

  return (
    <div ref={list} className="grid grid-cols-[minmax(0,1fr)] gap-8">
      {groups.map((passages) => {
        const [first] = passages
        if (!first) return null
        return (
          <section key={first.document_id} aria-label={first.title}>
            <header className="mb-3 flex items-baseline justify-between gap-4">
              <h2 className="min-w-0 truncate font-semibold font-serif text-lg">
                <Link
                  to="/l/$library/d/$document"
                  params={{ library, document: first.document_id }}
                  className="rounded hover:text-accent-strong"
                >
                  {first.title}
                </Link>
              </h2>
              <span className="shrink-0 text-ink-faint text-xs">
                {t('{count, plural, one {# passage} other {# passages}}', { count: passages.length })}
              </span>
            </header>
            <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
              {passages.map((hit) => (
                <li key={hit.passage_id}>
                  <PassageHit library={library} words={words} hit={hit} />
                </li>
              ))}
            </ol>
          </section>
        )
      })}
    </div>
  )
}

function PassageHit({ library, words, hit }: { library: string; words: string; hit: Hit }) {
  const heading = headingWithin(hit.heading, hit.title)
  const place = [hit.page ? t('Page {page}', { page: hit.page }) : '', heading].filter(Boolean).join(' · ')
  return (
    <Link
      data-hit
      to="/l/$library/d/$document"
      params={{ library, document: hit.document_id }}
      search={{ passage: hit.passage_id, q: words }}
      className="block px-4 py-3.5 outline-offset-[-2px] transition-colors hover:bg-hover/70 focus-visible:bg-hover/70 sm:px-5"
    >
      {place ? <p className="eyebrow mb-1 truncate">{place}</p> : null}
      <p className="line-clamp-5 font-serif text-[1.0625rem] leading-[1.6]">
        {excerpt(hit.content, hit.highlights).map(({ start, text, marked }) =>
          marked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
        )}
      </p>
      <p className="mt-2 text-ink-faint text-xs">{whyMatched(hit)}</p>
    </Link>
  )
}

/** Characters of context before the first highlight. */
const LEAD_IN = 120

function excerpt(content: string, ranges: unknown) {
  const pieces = splitAtHighlights(content, ranges)
  const [first, ...rest] = pieces
  if (!first || first.marked || first.text.length <= LEAD_IN * 1.5 || rest.length === 0) return pieces
  const cut = first.text.indexOf(' ', first.text.length - LEAD_IN)
  const text = cut === -1 ? first.text.slice(-LEAD_IN) : first.text.slice(cut)
  return [{ ...first, text: `…${text}` }, ...rest]
}
