import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { UnsavedText } from './unsaved-text.ts'

type UnsavedNoticeProps = { unsaved: UnsavedText; version: { id: string; body: string }; onOpen: () => void }

/** Says, where a note is read, that somebody has written a text that is in no version. */
export function UnsavedNotice({ unsaved, version, onOpen }: UnsavedNoticeProps) {
  if (unsaved.kind === 'draft' && unsaved.body === version.body) return null
  const isOlder =
    unsaved.kind === 'draft' ? unsaved.basedOn !== version.id : unsaved.kind === 'history' && unsaved.isOlder
  return (
    <Notice
      tone="info"
      className="mb-6"
      title={
        unsaved.kind === 'history' ? t('This note has text that is not saved yet') : t('Your text is not saved yet')
      }
    >
      <p>{saidOf(unsaved, isOlder)}</p>
      <Button size="small" className="mt-2" onClick={onOpen}>
        {isOlder ? t('Compare both texts') : t('Continue writing')}
      </Button>
    </Notice>
  )
}

function saidOf(unsaved: UnsavedText, isOlder: boolean): string {
  if (unsaved.kind === 'waiting') return t('It waits for the network. Below is the text that the others see.')
  const when = formatRelativeTime(unsaved.storedAt)
  if (unsaved.kind === 'history')
    return t('It was written {when} and is in no version. Below is the text that everybody sees.', { when })
  return isOlder
    ? t('The note was saved again after you began. Your text is kept: put both together.')
    : t('You left it unfinished {when}. Below is the text that the others see.', { when })
}
