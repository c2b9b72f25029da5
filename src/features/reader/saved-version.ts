import type { OpenDocument } from './queries.ts'

type Saved = { id: string; body: string; isPublished: boolean }

/** Returns a note with a version just saved, unless it needs approval. The next response has the rest. */
export const withSavedVersion = <Note extends Pick<OpenDocument, 'version'>>(
  note: Note,
  { isPublished, ...saved }: Saved,
): Note => (note.version === null || !isPublished ? note : { ...note, version: { ...note.version, ...saved } })
