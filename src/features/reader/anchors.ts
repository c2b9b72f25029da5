import type { ReactNode } from 'react'
import type { HighlightColor } from '../../domain/highlight-colors.ts'
import type { DocumentReference } from '../../domain/note-references.ts'

/** A place in a document: its words, and its page where there are pages. The words find it again when ids have changed. */
export type Anchor = {
  page: number | null
  quote: string
  /** How many letters and digits are before it, on its page or in a document without pages: words may recur. */
  start?: number | null
}

/** A place that somebody commented on or highlighted. Without a colour it has a comment. */
export type Remark = Anchor & { color?: HighlightColor | undefined }

/** What a view of a document marks, and what it reports. */
export type ViewProps = {
  /** Scrolled into view and marked. */
  anchor: Anchor | undefined
  /** Commented and highlighted places. */
  remarks: readonly Remark[]
  onSelect: (selected: Selected | undefined) => void
  /** Draws a link to a document that is a paragraph of its own. Without it, its words stay. */
  drawLink?: ((place: DocumentReference, label: string) => ReactNode) | undefined
  /** Ticks a check box of the text, or takes the tick away. Undefined for those who may not.
   *  @param index Among the `count` boxes, from the beginning. */
  onTick?: ((index: number, count: number) => void) | undefined
}

/** A selected text, and its position in the window in pixels. */
export type Selected = Anchor & { top: number; left: number }

/** For visitors with a share link: a view without marks and selections. */
export const READ_ONLY: ViewProps = { anchor: undefined, remarks: [], onSelect: () => {} }
