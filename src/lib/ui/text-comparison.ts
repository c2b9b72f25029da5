import { markdown } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { getChunks, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { t } from '../i18n/i18n.ts'
import { compareTexts } from '../line-changes.ts'

/** Markdown with formatting; its syntax stays visible in a lighter color. */
const style = HighlightStyle.define([
  { tag: tags.heading1, fontSize: '1.5em', fontWeight: '600' },
  { tag: tags.heading2, fontSize: '1.25em', fontWeight: '600' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent-strong)' },
  { tag: tags.monospace, fontFamily: 'ui-monospace, monospace', fontSize: '0.9em' },
  { tag: tags.quote, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: 'var(--ink-faint)', fontWeight: '400' },
])

const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-serif)', fontSize: '1.0938rem', lineHeight: '1.7' },
  '.cm-content': { padding: '0' },
  '.cm-line': { padding: '0' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-changedText': { background: 'color-mix(in oklch, var(--accent) 28%, transparent) !important' },
  // Quotes and syntax would be too light on the color of a change.
  '.cm-changedText *, .cm-deletedChunk .cm-deletedText *': { color: 'var(--ink)' },
  '.cm-activeLine': { backgroundColor: 'transparent', outline: '1px solid var(--accent)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none' },
  // The library's symbols are missing in many fonts.
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--ink-soft)', padding: '0.25rem 0.5rem' },
  '.cm-collapsedLines:before': { content: '"⋯"' },
  '.cm-collapsedLines:after': { content: '"⋯"' },
  '.cm-deletedChunk, &.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--danger-soft) !important' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklch, var(--danger) 25%, transparent) !important',
  },
})

const shared: Extension = [markdown(), syntaxHighlighting(style), theme, EditorView.lineWrapping]

const readOnly = (label: string): Extension => [
  shared,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-label': label }),
  EditorState.phrases.of({ '$ unchanged lines': t('$ unchanged lines') }),
]

/** An open comparison. @property rough See TextChanges. */
export type Comparison = {
  changes: number
  rough: number
  /** Shows a change. @returns its position in both texts. @param index From 0. */
  goTo: (index: number) => { before: number; after: number } | undefined
  close: () => void
}

/** Pixels above a change after a jump. */
const MARGIN = 48

/** Opens a diff, side by side or, on narrow screens, inline. */
export function openDiff(parent: HTMLElement, before: string, after: string, wide: boolean): Comparison {
  const { changes, rough } = compareTexts(before, after)
  const diffConfig = { override: () => [...changes] }
  const collapseUnchanged = { margin: 3 }
  const merge = wide
    ? new MergeView({
        parent,
        a: { doc: before, extensions: readOnly(t('Before')) },
        b: { doc: after, extensions: [readOnly(t('After')), highlightActiveLine()] },
        collapseUnchanged,
        diffConfig,
      })
    : undefined
  const unified = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged, diffConfig })
  const view =
    merge?.b ??
    new EditorView({
      parent,
      state: EditorState.create({
        doc: after,
        extensions: [readOnly(t('What has changed')), highlightActiveLine(), unified],
      }),
    })
  const chunks = getChunks(view.state)?.chunks ?? []
  return {
    changes: chunks.length,
    rough,
    goTo: (index) => {
      const chunk = chunks[index]
      if (!chunk) return undefined
      const anchor = Math.min(chunk.fromB, view.state.doc.length)
      const effects = EditorView.scrollIntoView(anchor, { y: 'start', yMargin: MARGIN })
      view.dispatch({ selection: { anchor }, effects })
      return { before: chunk.fromA, after: anchor }
    },
    close: () => (merge ?? view).destroy(),
  }
}
