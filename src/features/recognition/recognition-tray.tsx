import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, RotateCw, X } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { Tray } from '../../components/tray.tsx'
import { keys } from '../../domain/keys.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { recognition, useRecognition } from './recognition.ts'
import { isFinished, type Recognition } from './recognition-queue.ts'

export function RecognitionTray() {
  const queryClient = useQueryClient()
  const all = useRecognition()
  // Refreshes a scan's page, also without the library's channel.
  const ended = all.filter(({ state }) => state.step !== 'waiting' && state.step !== 'reading')
  const ends = ended.map(({ document, state }) => `${document} ${state.step}`).join()
  useEffect(() => {
    for (const end of ends.split(',').filter(Boolean)) {
      const [document] = end.split(' ')
      const scan = recognition.get().find((one) => one.document === document)
      if (scan) void queryClient.invalidateQueries({ queryKey: keys.document(scan.library, scan.document) })
    }
  }, [ends, queryClient])
  const underWay = all.length - ended.length
  return (
    <Tray
      label={t('Recognition of text')}
      title={
        underWay > 0
          ? t('{count, plural, one {Recognizing text in # document} other {Recognizing text in # documents}}', {
              count: underWay,
            })
          : t('Recognition of text')
      }
      onDismiss={underWay === 0 ? () => all.map(({ document }) => recognition.remove(document)) : undefined}
    >
      <ul className="max-h-48 divide-y divide-line overflow-y-auto">
        {all.map((one) => (
          <RecognitionRow key={one.document} recognition={one} />
        ))}
      </ul>
    </Tray>
  )
}

function RecognitionRow({ recognition: one }: { recognition: Recognition }) {
  const { library, document, title, state } = one
  return (
    <li className="grid gap-1.5 py-2.5 pe-1.5 ps-4">
      <div className="flex items-center gap-2">
        <Link
          dir="auto"
          to="/l/$library/d/$document"
          params={{ library, document }}
          className="min-w-0 flex-1 truncate rounded text-sm hover:text-accent-strong"
        >
          {title}
        </Link>
        {state.step === 'failed' ? (
          <IconButton
            icon={RotateCw}
            label={t('Try {name} again', { name: title })}
            onClick={() => recognition.add(one)}
          />
        ) : null}
        {isFinished(one) ? null : (
          <IconButton
            icon={X}
            label={t('Cancel {name}', { name: title })}
            onClick={() => recognition.remove(document)}
          />
        )}
      </div>
      <RecognitionLine recognition={one} />
    </li>
  )
}

export function RecognitionLine({ recognition: { title, state } }: { recognition: Recognition }) {
  switch (state.step) {
    case 'waiting':
      return <p className="text-ink-faint text-xs">{t('Waiting')}</p>
    case 'reading':
      return (
        <>
          <p className="text-ink-faint text-xs tabular-nums">
            {t('Page {page} of {pages}', { page: state.done + 1, pages: state.of })}
          </p>
          <Progress
            value={state.done === 0 ? null : state.done / state.of}
            label={t('Recognition of text in {name}', { name: title })}
            className="me-2.5 w-auto"
          />
        </>
      )
    case 'done':
      return (
        <p className="flex items-center gap-1.5 text-accent-strong text-xs">
          <CircleCheck aria-hidden className="size-3.5" />
          {t(
            '{pages, plural, =0 {No text was found in pictures} one {Text recognized on # page} other {Text recognized on # pages}}',
            { pages: state.pages },
          )}
        </p>
      )
    case 'failed':
      return (
        <p role="alert" className="flex gap-1.5 pe-2.5 text-danger text-xs leading-relaxed">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {state.reason}
        </p>
      )
  }
}
