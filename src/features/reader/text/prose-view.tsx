import { useMemo, useRef } from 'react'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { ViewProps } from '../anchors.ts'
import { useTextOutline } from '../outline/use-text-outline.ts'
import { ReaderFrame } from '../reader-frame.tsx'
import { useReadingOptions } from '../reading-options.ts'
import { safeMarkdown } from './safe-html.ts'
import { useHighlights } from './use-highlights.ts'
import { useTextSelection } from './use-text-selection.ts'

type ProseViewProps = ViewProps & { text: string; form: 'markdown' | 'plain' }

/** Running text: a note, Markdown, or text as it is. */
export function ProseView({ text, form, anchor, remarks, onSelect }: ProseViewProps) {
  const root = useRef<HTMLDivElement>(null)
  const html = useMemo(() => (form === 'plain' ? undefined : safeMarkdown(text)), [text, form])
  useHighlights(root, { anchor, remarks, drawn: html ?? text })
  useTextSelection(root, onSelect)
  const outline = useTextOutline(root, html ?? null)
  const { dimmed } = useReadingOptions()

  return (
    <ReaderFrame outline={outline}>
      {html === undefined ? (
        <div ref={root} className="mx-auto max-w-[44rem] whitespace-pre-wrap font-serif text-[1.0625rem] leading-[1.7]">
          {text}
        </div>
      ) : (
        <div
          ref={root}
          className={classNames('prose mx-auto max-w-[44rem]', dimmed && 'dark:[&_img]:brightness-75')}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: safeMarkdown has taken out all that can act
          dangerouslySetInnerHTML={{ __html: html }}
        />
      )}
    </ReaderFrame>
  )
}
