/** A place in a document: its words, and its page where there are pages. Words find it again when ids have changed. */
export type Anchor = { page: number | null; quote: string }

/** What a view of a document shows beside its text, and tells of it. */
export type ViewProps = {
  /** Comes into view, and is marked. */
  anchor: Anchor | undefined
  /** What others have remarked on, marked more quietly. */
  remarks: readonly Anchor[]
  onSelect: (selected: Selected | undefined) => void
}

/** What somebody has selected to say something about, and where on the screen it stands (pixels of the window). */
export type Selected = Anchor & { top: number; left: number }

/** A view that only shows: for who has a link and no account. */
export const READ_ONLY: ViewProps = { anchor: undefined, remarks: [], onSelect: () => {} }
