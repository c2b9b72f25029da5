import { Link } from '@tanstack/react-router'
import { CircleHelp } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Notice } from '../../components/notice.tsx'
import { translateBackendMessage } from '../../domain/backend-messages.ts'
import { headingWithin } from '../../domain/passage-heading.ts'
import { passagePlace } from '../../domain/recognition.ts'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { type Answer, type Citation, shownCitations } from './answer.ts'

type AnswerViewProps = { library: string; answer: Answer }

/** An answer, sentence by sentence, each with the passages that it rests on. */
export function AnswerView({ library, answer }: AnswerViewProps) {
  const citations = shownCitations(answer)
  if (answer.outcome === 'not_found') {
    return (
      <Notice tone="info" title={notFound(answer.documents)}>
        {answer.documents === null
          ? t('No passage that you may read answers the question. Ask it in other words, or add a document that tells.')
          : t(
              '{documents, plural, =1 {No passage of this document answers the question. Ask it in other words, or ask the whole library.} other {No passage of these # documents answers the question. Ask it in other words, or ask the whole library.}}',
              { documents: answer.documents },
            )}
      </Notice>
    )
  }
  return (
    <div className="grid grid-cols-1 gap-4" aria-busy={answer.outcome === null}>
      <p dir="auto" aria-live="polite" className="text-start font-serif text-[1.0938rem] leading-[1.75]">
        {answer.sentences.map(({ text, cites, supported }, place) => {
          const here = citations.filter(({ n }) => cites.includes(n))
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: sentences only ever come at the end
            <span key={place}>
              {supported ? (
                text
              ) : (
                <span className="underline decoration-amber decoration-wavy decoration-1 underline-offset-4">
                  {text}
                </span>
              )}
              {supported ? null : (
                <Badge tone="amber" className="mx-1 align-middle">
                  <CircleHelp aria-hidden />
                  {t('no passage says this')}
                </Badge>
              )}
              {here.map((citation) => (
                <CitationLink key={citation.n} library={library} citation={citation} />
              ))}{' '}
            </span>
          )
        })}
      </p>
      {answer.notice ? <Notice tone="info">{translateBackendMessage(answer.notice)}</Notice> : null}
      {citations.length > 0 ? (
        <ol
          aria-label={t('Sources')}
          className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
        >
          {citations.map(({ n, shown, passage_id, document_id, title, page, heading, quote, recognized }) => (
            <li key={n}>
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: document_id }}
                search={{ passage: passage_id, quote: quote.slice(0, LONGEST_QUOTE) }}
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
                  <span dir="auto" className="line-clamp-2 text-start font-serif text-[0.9375rem] text-ink-soft">
                    {quote}
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ol>
      ) : null}
    </div>
  )
}

/** Says what does not answer the question: the library, or the documents that were asked. */
const notFound = (documents: number | null): string =>
  documents === null
    ? t('This is not in your library')
    : t('{documents, plural, =1 {This is not in this document} other {This is not in these # documents}}', {
        documents,
      })

/** Characters of a quote in an address: enough to find the passage again if its id has changed. */
const LONGEST_QUOTE = 120

type CitationLinkProps = { library: string; citation: Citation & { shown: number } }

function CitationLink({ library, citation }: CitationLinkProps) {
  const { shown, document_id, passage_id, title, page, quote } = citation
  return (
    <Link
      to="/l/$library/d/$document"
      params={{ library, document: document_id }}
      search={{ passage: passage_id, quote: quote.slice(0, LONGEST_QUOTE) }}
      aria-label={`${shown}: ${[title, page ? t('page {page}', { page }) : ''].filter(Boolean).join(', ')}`}
      className="ms-0.5 inline-grid min-w-5 place-items-center rounded bg-accent-soft px-1 align-[0.25em] font-sans font-semibold text-[0.6875rem] text-accent-strong leading-5 hover:bg-accent hover:text-on-accent"
    >
      {formatNumber(shown)}
    </Link>
  )
}
