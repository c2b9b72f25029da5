import { t } from '../../lib/i18n/i18n.ts'

type CorrectionProps = { typed: string; searched: string; onExact?: () => void }

/** Quoted phrases, except excluded ones. */
const phrasesOf = (text: string): string[] =>
  [...text.matchAll(/-"[^"]*"|"([^"]+)"/g)].flatMap(([, phrase]) => (phrase ? [phrase.trim()] : []))

/** Shows the corrected query and offers the typed one, or says that a phrase wasn't found. */
export function Correction({ typed, searched, onExact }: CorrectionProps) {
  const missing = phrasesOf(searched).length > 0 ? [] : phrasesOf(typed)
  const words = <strong className="font-semibold text-ink">{searched.replace(/\s+/g, ' ').trim()}</strong>
  if (missing.length > 0)
    return (
      <p className="mb-4 text-ink-soft">
        {t('No exact match for “{phrase}”.', { phrase: missing.join(' · ') })} {t('Results for these words:')} {words}
      </p>
    )
  return (
    <p className="mb-4 text-ink-soft">
      {t('Showing results for')} {words}.{' '}
      {onExact ? (
        <button
          type="button"
          onClick={onExact}
          className="rounded text-accent-strong underline underline-offset-2 hover:text-accent"
        >
          {t('Search for “{words}” instead', { words: typed })}
        </button>
      ) : null}
    </p>
  )
}
