import { Link } from '@tanstack/react-router'
import { headingWithin } from '../../domain/passage-heading.ts'
import { passagePlace } from '../../domain/recognition.ts'
import { formatNumber } from '../../lib/i18n/format.ts'
import { type Citation, MAX_LINK_QUOTE_LENGTH, markedPieces, type Sentence } from './answer.ts'

type PassageListProps = {
  library: string
  label: string
  citations: readonly (Citation & { shown: number })[]
  sentences: readonly Sentence[]
}

export function PassageList({ library, label, citations, sentences }: PassageListProps) {
  return (
    <ol aria-label={label} className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
      {citations.map((citation) => {
        const { n, shown, passage_id, document_id, title, page, heading, quote, recognized } = citation
        return (
          <li key={n}>
            <Link
              to="/l/$library/d/$document"
              params={{ library, document: document_id }}
              search={{ passage: passage_id, quote: quote.slice(0, MAX_LINK_QUOTE_LENGTH) }}
              className="flex gap-3 px-4 py-3 outline-offset-[-2px] transition-colors hover:bg-hover/70"
            >
              <span className="mt-0.5 shrink-0 font-semibold text-accent-strong text-sm tabular-nums">
                {formatNumber(shown)}
              </span>
              <span className="min-w-0">
                <span className="block truncate font-medium text-sm">
                  {[title, passagePlace({ page, recognized }), headingWithin(heading, title)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
                <span
                  dir="auto"
                  className="line-clamp-5 text-start font-serif text-[0.9375rem] text-ink-soft leading-relaxed"
                >
                  {markedPieces(citation, sentences).map(({ start, text, isMarked }) =>
                    isMarked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
                  )}
                </span>
              </span>
            </Link>
          </li>
        )
      })}
    </ol>
  )
}
