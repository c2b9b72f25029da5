import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { headingWithin } from '../../domain/passage-heading.ts'
import { problemText } from '../../domain/problem.ts'
import { passagePlace } from '../../domain/recognition.ts'
import { formatNumber, languageName } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import {
  type Answer,
  type Citation,
  MAX_LINK_QUOTE_LENGTH,
  markedPieces,
  type Sentence,
  shownCitations,
} from './answer.ts'

type AnswerViewProps = { library: string; question: string; answer: Answer }

/** A model's sentences with citations, or without a model the nearest passages with the answering sentences marked. */
export function AnswerView({ library, question, answer }: AnswerViewProps) {
  const { outcome, model, sentences, language, notice } = answer
  const citations = shownCitations(answer)
  const isTold = model !== null && outcome !== 'not_found'
  return (
    <div className="grid grid-cols-1 gap-4" aria-busy={outcome === null}>
      {notice ? <Notice tone="info">{problemText(notice)}</Notice> : null}
      {outcome === 'not_found' ? <NoAnswer library={library} question={question} answer={answer} /> : null}
      {isTold ? (
        <p dir="auto" aria-live="polite" className="text-start font-serif text-[1.0938rem] leading-[1.75]">
          {sentences.map(({ text, cites }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sentences only ever come at the end
            <span key={place}>
              {text}
              {citations
                .filter(({ n }) => cites.includes(n))
                .map((citation) => (
                  <CitationLink key={citation.n} library={library} citation={citation} />
                ))}{' '}
            </span>
          ))}
        </p>
      ) : null}
      {citations.length > 0 ? (
        <PassageList
          library={library}
          label={isTold ? t('Sources') : t('The nearest passages')}
          citations={citations}
          sentences={isTold ? [] : sentences}
        />
      ) : null}
      {language && citations.length > 0 ? (
        <p className="text-ink-soft text-sm">
          {t('Your question is in {language}, so passages in {language} come first.', {
            language: languageName(language),
          })}
        </p>
      ) : null}
    </div>
  )
}

function NoAnswer({ library, question, answer: { citations, documents } }: AnswerViewProps) {
  return (
    <Notice
      tone="info"
      title={
        citations.length > 0 ? t('No sentence answers this') : t('None of the passages you can read is about this')
      }
    >
      {documents === null
        ? null
        : `${t('{documents, plural, =1 {Only one document was searched.} other {Only # documents were searched.}}', { documents })} `}
      {citations.length > 0
        ? t('Below are the nearest passages. Read them, rephrase the question, or search.')
        : t('Rephrase the question, add a document that answers it, or search.')}{' '}
      <Link
        to="/l/$library/search"
        params={{ library }}
        search={{ q: question }}
        className="font-medium text-accent-strong underline underline-offset-2"
      >
        {t('Search for this')}
      </Link>
    </Notice>
  )
}

type CitationLinkProps = { library: string; citation: Citation & { shown: number } }

function CitationLink({ library, citation }: CitationLinkProps) {
  const { shown, document_id, passage_id, title, page, quote } = citation
  return (
    <Link
      to="/l/$library/d/$document"
      params={{ library, document: document_id }}
      search={{ passage: passage_id, quote: quote.slice(0, MAX_LINK_QUOTE_LENGTH) }}
      aria-label={`${shown}: ${[title, page ? t('page {page}', { page }) : ''].filter(Boolean).join(', ')}`}
      className="ms-0.5 inline-grid min-w-5 place-items-center rounded bg-accent-soft px-1 align-[0.25em] font-sans font-semibold text-[0.6875rem] text-accent-strong leading-5 hover:bg-accent hover:text-on-accent"
    >
      {formatNumber(shown)}
    </Link>
  )
}

type PassageListProps = {
  library: string
  label: string
  citations: readonly (Citation & { shown: number })[]
  sentences: readonly Sentence[]
}

function PassageList({ library, label, citations, sentences }: PassageListProps) {
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
