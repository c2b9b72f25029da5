import { Link } from '@tanstack/react-router'
import { ScanText } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { recognitionText } from '../../domain/recognition.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { recognition, useRecognition } from './recognition.ts'
import { RecognitionLine } from './recognition-tray.tsx'

type ScanNoticeProps = {
  library: string
  document: { id: string; title: string } & Parameters<typeof recognitionText>[0]
  left: number
  isWithoutText: boolean
  canEdit: boolean
  canChangeSettings: boolean
}

export function ScanNotice(props: ScanNoticeProps) {
  const { library, document, left, isWithoutText, canEdit, canChangeSettings } = props
  const running = useRecognition().find((one) => one.document === document.id)
  if (running && running.state.step !== 'done') {
    return (
      <Notice tone="info" title={t('The text is being recognized on this device')} className="mb-4 max-w-xl">
        <div className="mt-1 grid gap-1.5">
          <RecognitionLine recognition={running} />
        </div>
        <p className="mt-2 flex gap-2">
          {running.state.step === 'failed' ? (
            <Button size="small" onClick={() => recognition.add(running)}>
              {t('Try again')}
            </Button>
          ) : null}
          <Button size="small" look="quiet" onClick={() => recognition.remove(document.id)}>
            {t('Cancel')}
          </Button>
        </p>
      </Notice>
    )
  }
  if (left === 0) {
    return isWithoutText && !running ? (
      <Notice tone="info" title={t('No text was found in this document’s pictures')} className="mb-4 max-w-xl">
        {t('Search can’t find it. A sharper scan may help.')}
      </Notice>
    ) : null
  }
  if (document.recognition === null) {
    // In other documents, these are blank pages and photos.
    if (!isWithoutText) return null
    return (
      <Notice
        tone="info"
        title={t('This is a scan without text, so search does not find it')}
        className="mb-4 max-w-xl"
      >
        {canChangeSettings ? (
          <>
            {t('Text recognition is turned off in this library. You can turn it on.')}{' '}
            <Link to="/l/$library/settings" params={{ library }} className="font-medium underline underline-offset-2">
              {t('Settings')}
            </Link>
          </>
        ) : (
          t('An owner of this library can turn on text recognition in its settings.')
        )}
      </Notice>
    )
  }
  if (document.recognition === 'reading') {
    return (
      <Notice tone="info" title={recognitionText(document)} className="mb-4 max-w-xl">
        {t('{count, plural, one {# page left} other {# pages left}}', { count: left })}
      </Notice>
    )
  }
  const hasFailed = document.recognition === 'failed'
  return (
    <Notice
      tone="info"
      title={t('{count, plural, one {# page is a picture without text} other {# pages are pictures without text}}', {
        count: left,
      })}
      className="mb-4 max-w-xl"
    >
      <p>
        {hasFailed
          ? recognitionText(document)
          : t('Their text is recognized automatically while someone who can edit this document has Carrel open.')}
      </p>
      {canEdit ? (
        <Button
          icon={ScanText}
          size="small"
          className="mt-2"
          onClick={() => recognition.add({ library, document: document.id, title: document.title })}
        >
          {hasFailed ? t('Try again') : t('Read the text of this scan')}
        </Button>
      ) : null}
    </Notice>
  )
}
