import type { OpenDocument } from './queries.ts'

type Saved = { id: string; body: string; isPublished: boolean }

/** A note with a version that was just saved, so that its text is read at once; not of a change that has to be approved. What else a
 *  version has comes with the next answer. */
export const withSavedVersion = <Note extends Pick<OpenDocument, 'version'>>(
  note: Note,
  { isPublished, ...saved }: Saved,
): Note => (note.version === null || !isPublished ? note : { ...note, version: { ...note.version, ...saved } })
