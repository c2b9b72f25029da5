import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Input } from '../../components/input.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { vocabularyQuery } from './queries.ts'

/** Milliseconds after the last keystroke until the words are fetched. */
const PAUSE_MS = 150

type VocabularyProps = { library: string; prefix: string; onPrefix: (prefix: string) => void }

/** The words of a library, by their beginning, the most frequent first; each leads to its passages. */
export function Vocabulary({ library, prefix, onPrefix }: VocabularyProps) {
  const [draft, setDraft] = useState(prefix)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { data: words, error } = useQuery(vocabularyQuery(library, prefix))
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <section aria-labelledby="vocabulary" className="rounded-lg border border-line bg-surface p-5">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 id="vocabulary" className="font-semibold font-serif text-lg">
            {t('Vocabulary')}
          </h2>
          <p className="text-ink-soft text-sm">
            {t('The words of this library, the most frequent first. Misspelt searches are corrected to these.')}
          </p>
        </div>
        <Input
          type="search"
          aria-label={t('Words that begin with')}
          placeholder={t('Begins with…')}
          maxLength={100}
          value={draft}
          onChange={({ target: { value } }) => {
            setDraft(value)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => onPrefix(value.trim()), PAUSE_MS)
          }}
          className="h-9 w-full sm:w-56"
        />
      </div>
      <FailureNotice error={error} />
      {words === undefined ? (
        error ? null : (
          <Skeleton className="h-40" />
        )
      ) : words.length === 0 ? (
        <p role="status" className="text-ink-soft text-sm">
          {prefix ? t('No word begins with “{prefix}”.', { prefix }) : t('There are no words yet.')}
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="max-h-[32rem] overflow-auto" tabIndex={0} aria-label={t('Words')}>
          <table className="w-full text-sm [&_th]:text-start tabular-nums">
            <thead className="sticky top-0 bg-surface">
              <tr>
                {[t('Word'), t('Documents'), t('Passages')].map((column) => (
                  <th key={column} scope="col" className="border-line border-b py-1.5 pe-4 font-medium">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {words.map(({ word, documents, passages }) => (
                <tr key={word}>
                  <th scope="row" className="max-w-0 truncate border-line border-b py-1.5 pe-4 font-normal">
                    <Link
                      to="/l/$library/search"
                      params={{ library }}
                      search={{ q: word }}
                      className="rounded hover:text-accent-strong"
                    >
                      {word}
                    </Link>
                  </th>
                  <td className="w-28 border-line border-b py-1.5 pe-4">{formatNumber(documents)}</td>
                  <td className="w-28 border-line border-b py-1.5 pe-4">{formatNumber(passages)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}
