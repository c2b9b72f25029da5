import { useMemo, useRef } from 'react'
import type { ViewProps } from '../anchors.ts'
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

  if (html === undefined) {
    return (
      <div ref={root} className="whitespace-pre-wrap font-serif text-[1.0625rem] leading-[1.7]">
        {text}
      </div>
    )
  }
  return (
    <div
      ref={root}
      className="prose"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: safeMarkdown has taken out all that can act
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}
