import type { MailLanguage } from '../_shared/mail/language.ts'

export type Texts = {
  /** The subject of a mail about a document. */
  about(sentence: string, title: string): string
  several(count: number): string
  mentioned(name: string): string
  mentionedInNote(name: string): string
  replied(name: string): string
  invited(name: string): string
  read(count: number): string
  failed(count: number, read: number): string
  found(passages: number): string
  foundBy(passages: number, search: string): string
  inLibrary(library: string): string
  /** Instead of names and words that a mail must not reveal. */
  hidden: string
  secured: string
  somebody: string
  imported: string
  notification: string
  open: string
  inbox: string
  why(settings: string): string
}

const en: Texts = {
  about: (sentence, title) => `${sentence}: “${title}”`,
  several: (count) => `${count} notifications`,
  mentioned: (name) => `${name} mentions you in a comment`,
  mentionedInNote: (name) => `${name} mentions you in a note`,
  replied: (name) => `${name} replied to a comment`,
  invited: (name) => `${name} invites you to a library`,
  read: (count) => (count === 1 ? 'Your document has been read' : `Your ${count} documents have been read`),
  failed: (count, read) =>
    `${count === 1 ? 'One document' : `${count} documents`} could not be read${read > 0 ? `, ${read} have been read` : ''}`,
  found: (passages) =>
    passages === 1 ? 'A saved search has one new passage' : `A saved search has ${passages} new passages`,
  foundBy: (passages, search) =>
    passages === 1 ? `One new passage for “${search}”` : `${passages} new passages for “${search}”`,
  inLibrary: (library) => `This is in the library “${library}”.`,
  hidden: 'A library shows what is in it only to those who use their second factor there.',
  secured: 'A library that requires a second factor',
  somebody: 'Somebody',
  imported: 'Import',
  notification: 'Notification',
  open: 'Open',
  inbox: 'Open the inbox',
  why: (settings) => `You have chosen to get these mails. You can change or stop them in your profile: ${settings}`,
}

const de: Texts = {
  about: (sentence, title) => `${sentence}: „${title}“`,
  several: (count) => `${count} Benachrichtigungen`,
  mentioned: (name) => `${name} erwähnt Sie in einem Kommentar`,
  mentionedInNote: (name) => `${name} erwähnt Sie in einer Notiz`,
  replied: (name) => `${name} hat auf einen Kommentar geantwortet`,
  invited: (name) => `${name} lädt Sie in eine Bibliothek ein`,
  read: (count) => (count === 1 ? 'Ihr Dokument ist eingelesen' : `Ihre ${count} Dokumente sind eingelesen`),
  failed: (count, read) =>
    `${count === 1 ? 'Ein Dokument konnte' : `${count} Dokumente konnten`} nicht eingelesen werden${read > 0 ? `, ${read} sind eingelesen` : ''}`,
  found: (passages) =>
    passages === 1
      ? 'Eine gespeicherte Suche hat eine neue Stelle'
      : `Eine gespeicherte Suche hat ${passages} neue Stellen`,
  foundBy: (passages, search) =>
    passages === 1 ? `Eine neue Stelle zu „${search}“` : `${passages} neue Stellen zu „${search}“`,
  inLibrary: (library) => `Das ist in der Bibliothek „${library}“.`,
  hidden: 'Eine Bibliothek zeigt ihren Inhalt nur denen, die sich dort mit ihrem zweiten Faktor anmelden.',
  secured: 'Eine Bibliothek, die einen zweiten Faktor verlangt',
  somebody: 'Jemand',
  imported: 'Import',
  notification: 'Benachrichtigung',
  open: 'Öffnen',
  inbox: 'Posteingang öffnen',
  why: (settings) =>
    `Sie haben gewählt, diese E-Mails zu bekommen. In Ihrem Profil können Sie sie ändern oder abstellen: ${settings}`,
}

export const TEXTS: Record<MailLanguage, Texts> = { en, de }
