import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { currentLanguage, t } from '../../lib/i18n/i18n.ts'
import type { UnsavedText } from './unsaved-text.ts'
import type { Draft } from './writing/follow-draft.ts'

type UnsavedNoticeProps = {
  unsaved: UnsavedText | null | undefined
  /** Shown instead of the latest version, if set. */
  draft: Draft | undefined
  version: { id: string; body: string }
  onOpen: () => void
}

/** Shows who is writing in a note, or that it has unsaved text. */
export function UnsavedNotice({ unsaved, draft, version, onOpen }: UnsavedNoticeProps) {
  if (draft && draft.writers.length > 0)
    return (
      <Notice
        tone="info"
        className="mb-6"
        title={t('{count, plural, =1 {{names} is writing} other {{names} are writing}}', {
          count: draft.writers.length,
          names: new Intl.ListFormat(currentLanguage()).format(draft.writers),
        })}
      >
        <p>{t('You see the draft as it is written.')}</p>
        <Button size="small" className="mt-2" onClick={onOpen}>
          {t('Write along')}
        </Button>
      </Notice>
    )
  if (!unsaved || (unsaved.kind === 'draft' && unsaved.body === version.body)) return null
  const isOlder =
    unsaved.kind === 'draft' ? unsaved.basedOn !== version.id : unsaved.kind === 'history' && unsaved.isOlder
  return (
    <Notice
      tone="info"
      className="mb-6"
      title={unsaved.kind === 'history' ? t('Unpublished draft') : t('Your text is not saved yet')}
    >
      <p>{saidOf(unsaved, isOlder)}</p>
      <Button size="small" className="mt-2" onClick={onOpen}>
        {isOlder ? t('Compare both texts') : t('Continue writing')}
      </Button>
    </Notice>
  )
}

function saidOf(unsaved: UnsavedText, isOlder: boolean): string {
  if (unsaved.kind === 'waiting') return t('It will be sent when you’re online. Below is the version that others see.')
  const when = formatRelativeTime(unsaved.storedAt)
  if (isOlder) return t('The note was saved again after you started. Your text is safe: merge both.')
  return unsaved.kind === 'history'
    ? t('Last changed {when}. Readers see the last published version.', { when })
    : t('You left it unfinished {when}. Below is the version that others see.', { when })
}
