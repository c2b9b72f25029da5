import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { UnsavedText } from './unsaved-text.ts'

type UnsavedNoticeProps = { unsaved: UnsavedText; version: { id: string; body: string }; onOpen: () => void }

/** Says, where a note is read, that this person has written a text that the others do not see. */
export function UnsavedNotice({ unsaved, version, onOpen }: UnsavedNoticeProps) {
  const { body, basedOn, storedAt } = unsaved
  if (body === version.body) return null
  const isOlder = basedOn !== null && basedOn !== version.id
  return (
    <Notice tone="info" className="mb-6" title={t('Your text is not saved yet')}>
      <p>
        {storedAt === null
          ? t('It waits for the network. Below is the text that the others see.')
          : isOlder
            ? t('The note was saved again after you began. Your text is kept: put both together.')
            : t('You left it unfinished {when}. Below is the text that the others see.', {
                when: formatRelativeTime(storedAt),
              })}
      </p>
      <Button size="small" className="mt-2" onClick={onOpen}>
        {isOlder ? t('Compare both texts') : t('Go on writing')}
      </Button>
    </Notice>
  )
}
