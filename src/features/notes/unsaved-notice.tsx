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
  /** The names of those who have opened the note for writing. */
  writers: readonly string[]
  version: { id: string; body: string }
  /** Undefined for people who may only read. */
  onOpen: (() => void) | undefined
}

export function UnsavedNotice({ unsaved, draft, writers, version, onOpen }: UnsavedNoticeProps) {
  const names = [...new Set([...(draft?.writers ?? []), ...writers])].sort((a, b) => a.localeCompare(b))
  if (draft ? names.length > 0 || !onOpen : names.length > 0 && !onOpen)
    return (
      <Notice tone="info" className="mb-6" title={writingOf(names, !!draft)}>
        <p>{draft ? t('You’re seeing the draft as it’s being written.') : t('You see the last published version.')}</p>
        {onOpen ? (
          <Button size="small" className="mt-2" onClick={onOpen}>
            {t('Start editing')}
          </Button>
        ) : null}
      </Notice>
    )
  if (!onOpen || !unsaved || (unsaved.kind === 'draft' && unsaved.body === version.body)) return null
  const isOlder =
    unsaved.kind === 'draft' ? unsaved.basedOn !== version.id : unsaved.kind === 'history' && unsaved.isOlder
  return (
    <Notice
      tone="info"
      className="mb-6"
      title={unsaved.kind === 'history' ? t('Unpublished draft') : t('Your text isn’t saved yet')}
    >
      <p>{saidOf(unsaved, isOlder)}</p>
      <Button size="small" className="mt-2" onClick={onOpen}>
        {isOlder ? t('Compare both texts') : t('Continue writing')}
      </Button>
    </Notice>
  )
}

function writingOf(writers: string[], isDraft: boolean): string {
  if (writers.length === 0) return t('Unpublished draft')
  const said = { count: writers.length, names: new Intl.ListFormat(currentLanguage()).format(writers) }
  return isDraft
    ? t('{count, plural, =1 {{names} is writing} other {{names} are writing}}', said)
    : t('{count, plural, =1 {{names} is editing} other {{names} are editing}}', said)
}

function saidOf(unsaved: UnsavedText, isOlder: boolean): string {
  if (unsaved.kind === 'waiting') return t('It will be sent when you’re online.')
  const when = formatRelativeTime(unsaved.storedAt)
  if (isOlder) return t('The note was saved again after you started. Your text is safe. Merge both.')
  return unsaved.kind === 'history'
    ? t('Last changed {when}. It becomes a version when you save it.', { when })
    : t('You left it unfinished {when}. Below is the version others see.', { when })
}
