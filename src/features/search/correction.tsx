import { t } from '../../lib/i18n/i18n.ts'

type CorrectionProps = { typed: string; searched: string; onExact: () => void }

/** Says that other words were searched for than were typed, and offers the typed ones. */
export function Correction({ typed, searched, onExact }: CorrectionProps) {
  return (
    <p className="mb-4 text-ink-soft">
      {t('Showing results for')} <strong className="font-semibold text-ink">{searched}</strong>.{' '}
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
