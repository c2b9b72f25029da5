import { kindOfMediaType } from '../../domain/file-kinds.ts'
import { colorOf } from '../../domain/highlight-colors.ts'
import type { Anchor, Remark } from '../../features/reader/anchors.ts'
import type { Comment, OpenDocument } from '../../features/reader/queries.ts'

export type ReadingTarget = {
  passage?: string | undefined
  quote?: string | undefined
  comment?: string | undefined
  page?: number | undefined
  follow?: string | undefined
}
type Passage = { page: number | null; content: string }

export const isPdf = ({ version }: { version: { mime_type: string | null } | null }): boolean =>
  version?.mime_type === 'application/pdf'

/** Whether a document is shown as text, or can be. */
export function hasText({ state, version }: Pick<OpenDocument, 'state' | 'version'>): boolean {
  if (!version?.storage_path) return Boolean(version?.body)
  const view = kindOfMediaType(version.mime_type)?.show
  return version.rendition_path !== null || view === 'text' || (view === 'pages' && state === 'ready')
}

/** Whether to find a quote in the text. In a PDF that needs a page; otherwise the passage has it. */
export const isQuoted = ({ passage, quote, page }: ReadingTarget, isPaged: boolean): boolean =>
  quote !== undefined && passage === undefined && (page !== undefined || !isPaged)

/** Whether the URL has a place, which takes precedence over the reading position. */
export const isElsewhere = ({ passage, quote, comment, page, follow }: ReadingTarget): boolean =>
  [passage, quote, comment, page, follow].some((one) => one !== undefined)

/** Returns the place to show: the comment's, else the quote's, else the passage's. */
export function anchorOf(
  wanted: ReadingTarget,
  isPaged: boolean,
  comments: readonly Pick<Comment, 'id' | 'quote' | 'page' | 'start_offset'>[],
  passage: Passage | undefined,
): Anchor | undefined {
  const comment = comments.find(({ id }) => id === wanted.comment)
  if (comment?.quote) return { page: comment.page, quote: comment.quote, start: comment.start_offset }
  if (wanted.quote !== undefined && isQuoted(wanted, isPaged)) return { page: wanted.page ?? null, quote: wanted.quote }
  return passage && { page: passage.page, quote: passage.content }
}

/** Returns unresolved comments and highlights to mark. */
export const remarksOf = (
  comments: readonly Pick<Comment, 'quote' | 'page' | 'start_offset' | 'resolved_at' | 'body' | 'color'>[],
): Remark[] =>
  comments.flatMap(({ quote, page, start_offset: start, resolved_at, body, color }) =>
    quote && !resolved_at ? [{ quote, page, start, ...(body === '' ? { color: colorOf(color).value } : {}) }] : [],
  )

export const arrangedOf = ({ id, title, collection, tags }: OpenDocument) => ({
  id,
  title,
  collection_id: collection?.id ?? null,
  tags,
})

export function pagesLeft(
  version: { recognized_pages: readonly { page: number }[]; pages_without_text: readonly number[] | null } | null,
): number {
  const recognized = new Set(version?.recognized_pages.map(({ page }) => page))
  return version?.pages_without_text?.filter((page) => !recognized.has(page)).length ?? 0
}

export type Note = { id: string; title: string; version: { id: string; body: string } }

/** Returns the document as a note with its published text. */
export function noteOf({
  id,
  title,
  kind,
  version,
}: Omit<Note, 'version'> & { kind: string; version: { id: string; body: string | null } | null }): Note | undefined {
  if (kind !== 'note' || !version || version.body === null) return undefined
  return { id, title, version: { id: version.id, body: version.body } }
}

/** Returns the note with the text to edit, which may be awaiting approval. */
export const writtenNoteOf = (
  document: Parameters<typeof noteOf>[0] & { proposed: Parameters<typeof noteOf>[0]['version'] },
): Note | undefined => noteOf(document.proposed ? { ...document, version: document.proposed } : document)
