import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'
import { useLeaveWarning } from '../../lib/ui/window.ts'

/** Shown when the right to write has ended. Unsaved text exists only on this page and is downloaded on leaving. */
export function RefusedWriting({ title, text, isStored }: { title: string; text: string; isStored: boolean }) {
  const [isKept, setKept] = useState(isStored)
  const keep = () => saveBlob(new Blob([text], { type: 'text/markdown' }), `${title}.md`)
  const leave = useEffectEvent(() => isKept || keep())
  useEffect(() => () => void leave(), [])
  useLeaveWarning(!isKept)
  return (
    <Notice tone="error" title={t('You can no longer edit this note')}>
      <p>{t('It was deleted, or your role in this library has changed.')}</p>
      {isStored ? null : <p>{t('Your latest changes aren’t stored. Only this page has them.')}</p>}
      <Button
        size="small"
        className="mt-2"
        onClick={() => {
          keep()
          setKept(true)
        }}
      >
        {t('Save the text as a file')}
      </Button>
    </Notice>
  )
}
