import type { OpenDocument } from './queries.ts'

/** A note with a version that was just saved, so that its text is read at once. What else a version has comes with the next answer. */
export const withSavedVersion = <Note extends Pick<OpenDocument, 'version'>>(
  note: Note,
  saved: { id: string; body: string },
): Note => (note.version === null ? note : { ...note, version: { ...note.version, ...saved } })
