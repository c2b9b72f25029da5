import type { ReactNode } from 'react'
import type { HighlightColor } from '../../domain/highlight-colors.ts'
import type { DocumentReference } from '../../domain/note-references.ts'

/** A place in a document: its quote, and its page if there are pages. The quote finds it when ids have changed. */
export type Anchor = {
  page: number | null
  quote: string
  /** Letters and digits before it on its page or in the document, because quotes may recur. */
  start?: number | null
}

/** A commented or highlighted place. Comments have no color. */
export type Remark = Anchor & { color?: HighlightColor | undefined }

export type ViewProps = {
  anchor: Anchor | undefined
  remarks: readonly Remark[]
  onSelect: (selected: Selected | undefined) => void
  drawLink?: ((place: DocumentReference, label: string) => ReactNode) | undefined
  /** Toggles a check box. Undefined for readers. @param index Among the `count` check boxes. */
  onTick?: ((index: number, count: number) => void) | undefined
}

/** A selected text with its position in the window in pixels. */
export type Selected = Anchor & { top: number; left: number }

export const READ_ONLY: ViewProps = { anchor: undefined, remarks: [], onSelect: () => {} }
