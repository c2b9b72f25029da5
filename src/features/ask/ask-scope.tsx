import { X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'

type AskScopeProps = {
  documents: readonly { id: string; title: string }[]
  onRemove: (document: string) => void
  onClear: () => void
}

/** The documents to ask instead of the whole library. */
export function AskScope({ documents, onRemove, onClear }: AskScopeProps) {
  return (
    <section aria-label={t('Documents you’re asking')} className="mb-2 flex flex-wrap items-center gap-1.5 text-sm">
      <span className="text-ink-soft">{t('Asking:')}</span>
      {documents.map(({ id, title }) => (
        <span
          key={id}
          className="inline-flex max-w-full items-center rounded-full bg-accent-soft ps-3 text-accent-strong"
        >
          <span dir="auto" className="min-w-0 truncate">
            {title}
          </span>
          <IconButton
            icon={X}
            label={t('Remove “{title}” from the question', { title })}
            onClick={() => onRemove(id)}
            className="rounded-full text-accent-strong"
          />
        </span>
      ))}
      <Button size="small" look="quiet" onClick={onClear}>
        {t('Ask the whole library')}
      </Button>
    </section>
  )
}
