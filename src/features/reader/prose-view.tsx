import { useEffect, useMemo, useRef } from 'react'
import { clearHighlight, highlightPassage } from './highlight.ts'
import { safeHtml, safeMarkdown } from './safe-html.ts'

type ProseViewProps = { text: string; form: 'markdown' | 'html' | 'plain'; passage: string | undefined }

/** Running text: a note, Markdown, a web page, or text as it is. */
export function ProseView({ text, form, passage }: ProseViewProps) {
  const root = useRef<HTMLDivElement>(null)
  const html = useMemo(
    () => (form === 'plain' ? undefined : form === 'html' ? safeHtml(text) : safeMarkdown(text)),
    [text, form],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text that is drawn is what the passage is looked for in
  useEffect(() => {
    if (root.current && passage) highlightPassage(root.current, passage)
    return clearHighlight
  }, [passage, html, text])

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
      // biome-ignore lint/security/noDangerouslySetInnerHtml: safeHtml has taken out all that can act
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}
