import { Button } from '../../components/button.tsx'
import { TextDiff } from '../../components/text-diff.tsx'
import { t } from '../../lib/i18n/i18n.ts'

type NoteConflictProps = { theirs: string; mine: string; onMine: () => void; onTheirs: () => void }

export function NoteConflict({ theirs, mine, onMine, onTheirs }: NoteConflictProps) {
  return (
    <section aria-labelledby="conflict" className="grid gap-3 rounded-xl border border-amber/40 bg-amber-soft p-4">
      <h2 id="conflict" className="font-semibold font-serif text-lg">
        {t('Someone else changed the same text')}
      </h2>
      <p className="text-ink-soft text-sm">
        {t('Before: their saved text. After: yours. Both stay in the versions. You can also keep writing below.')}
      </p>
      <TextDiff label={t('Their text and yours')} before={theirs} after={mine} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={onTheirs}>
          {t('Use theirs')}
        </Button>
        <Button size="small" look="primary" onClick={onMine}>
          {t('Save mine as the latest')}
        </Button>
      </div>
    </section>
  )
}
