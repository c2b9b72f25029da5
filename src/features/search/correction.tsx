import { t } from '../../lib/i18n/i18n.ts'

type CorrectionProps = { typed: string; searched: string; onExact: () => void }

/** Says that other words were searched for than were typed, and offers the typed ones; or that a quoted phrase wasn't found. */
export function Correction({ typed, searched, onExact }: CorrectionProps) {
  const missing = searched.includes('"')
    ? []
    : [...typed.matchAll(/(?<!-)"([^"]+)"/g)].map(([, phrase]) => phrase?.trim())
  const words = <strong className="font-semibold text-ink">{searched.replace(/\s+/g, ' ').trim()}</strong>
  if (missing.length > 0)
    return (
      <p className="mb-4 text-ink-soft">
        {t('No exact match for “{phrase}”.', { phrase: missing.join(' · ') })} {t('Results for the words:')} {words}
      </p>
    )
  return (
    <p className="mb-4 text-ink-soft">
      {t('Showing results for')} {words}.{' '}
      <button
        type="button"
        onClick={onExact}
        className="rounded text-accent-strong underline underline-offset-2 hover:text-accent"
      >
        {t('Search for “{words}” instead', { words: typed })}
      </button>
    </p>
  )
}
