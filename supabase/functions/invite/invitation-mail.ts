import { z } from 'zod'
import { Constants } from '../_shared/database.ts'
import { isolated, longDate, type MailLanguage, mailLanguage } from '../_shared/mail/language.ts'
import { renderHtml, renderText } from '../_shared/mail/layout.ts'
import type { Mail } from '../_shared/mail/smtp.ts'
import { line, unlinkedLine } from '../_shared/mail/user-text.ts'

export const InvitationRow = z.object({
  email: z.string(),
  key: z.string(),
  locale: z.string(),
  account: z.guid().nullable(),
  unconfirmed: z.guid().nullable(),
  /** Null if the inviter's account was deleted. */
  inviter: z.string().nullable(),
  library: z.string(),
  role: z.enum(Constants.public.Enums.member_role),
  collection: z.string().nullable(),
  collection_role: z.enum(['reader', 'editor']).nullable(),
  expires_at: z.string(),
})
export type InvitationRow = z.infer<typeof InvitationRow>

/** Returns the path of the mail's link. Its key, which creates the account, is only for an address without one. */
export const invitationPath = (token: string, { account, key }: InvitationRow): string =>
  account === null ? `/invite/${token}?${new URLSearchParams({ key })}` : `/invite/${token}`

const MAX_SUBJECT_LENGTH = 150

/** Returns the invitation mail. @param site The app's address. */
export function mailOf(taken: InvitationRow, token: string, site: string): Mail {
  const language = mailLanguage(taken.locale)
  const texts = TEXTS[language]
  const offer = offerOf(taken)
  const content = {
    title: texts.title(unlinkedLine(taken.library)),
    paragraphs: [offer.sentence, offer.rights, ...(taken.account === null ? [texts.about] : [])],
    action: { label: texts.open, url: site + invitationPath(token, taken) },
    notes: [texts.until(longDate(taken.expires_at, language), line(taken.email)), texts.unexpected],
  }
  const who = taken.inviter === null ? null : unlinkedLine(taken.inviter)
  return {
    to: taken.email,
    subject: texts.subject(who, unlinkedLine(taken.library)).slice(0, MAX_SUBJECT_LENGTH),
    text: renderText(content),
    html: renderHtml(content, language),
  }
}

/** Describes the invitation in two sentences in the mail's language. */
export function offerOf(taken: InvitationRow): { sentence: string; rights: string } {
  const texts = TEXTS[mailLanguage(taken.locale)]
  const who = taken.inviter === null ? texts.someone : unlinkedLine(taken.inviter)
  const library = unlinkedLine(taken.library)
  const sentence =
    taken.collection === null
      ? texts.invites(who, library, texts.roles[taken.role])
      : texts.opens(who, unlinkedLine(taken.collection), library)
  return { sentence, rights: texts.rights[taken.role === 'guest' ? (taken.collection_role ?? 'reader') : taken.role] }
}

type Texts = {
  subject(who: string | null, library: string): string
  title(library: string): string
  someone: string
  invites(who: string, library: string, role: string): string
  opens(who: string, collection: string, library: string): string
  roles: Record<InvitationRow['role'], string>
  rights: Record<'reader' | 'editor' | 'owner', string>
  about: string
  open: string
  until(day: string, email: string): string
  unexpected: string
}

const TEXTS: Record<MailLanguage, Texts> = {
  en: {
    subject: (who, library) => (who ? `${who} invites you to “${library}”` : `You are invited to “${library}”`),
    title: (library) => `Invitation to “${library}”`,
    someone: 'Someone',
    invites: (who, library, role) => `${who} invites you to the library “${library}”, as ${role}.`,
    opens: (who, collection, library) =>
      `${who} opens the collection “${collection}” of the library “${library}” to you.`,
    roles: { guest: 'guest', reader: 'reader', editor: 'editor', owner: 'owner' },
    rights: {
      reader: 'You can read everything in it and write comments.',
      editor: 'You can read everything in it, write comments, and add and change documents.',
      owner: 'You own it together: you can do everything in it, and manage its members and settings.',
    },
    about: 'Carrel is a library that a team shares: files, notes and links in which every passage can be found.',
    open: 'Open the invitation',
    until: (day, email) => `The link works once, until ${day}, for ${email}.`,
    unexpected: 'If you didn’t expect this email, ignore it: you join nothing unless you accept.',
  },
  de: {
    subject: (who, library) => (who ? `${who} lädt Sie zu „${library}“ ein` : `Sie sind zu „${library}“ eingeladen`),
    title: (library) => `Einladung zu „${library}“`,
    someone: 'Jemand',
    invites: (who, library, role) => `${who} lädt Sie in die Bibliothek „${library}“ ein. Ihre Rolle: ${role}.`,
    opens: (who, collection, library) =>
      `${who} öffnet Ihnen die Sammlung „${collection}“ der Bibliothek „${library}“.`,
    roles: { guest: 'Gast', reader: 'Lesen', editor: 'Bearbeiten', owner: 'Verwalten' },
    rights: {
      reader: 'Sie können dort alles lesen und Kommentare schreiben.',
      editor: 'Sie können dort alles lesen, Kommentare schreiben und Dokumente hinzufügen und ändern.',
      owner:
        'Die Bibliothek gehört Ihnen gemeinsam: Sie können dort alles tun und Mitglieder und Einstellungen verwalten.',
    },
    about:
      'Carrel ist eine gemeinsame Bibliothek für Teams: Dateien, Notizen und Links, in denen sich jede Stelle finden lässt.',
    open: 'Einladung öffnen',
    until: (day, email) => `Der Link gilt bis zum ${day}, einmal und für ${email}.`,
    unexpected:
      'Wenn Sie diese E-Mail nicht erwartet haben, beachten Sie sie nicht: Sie treten nur bei, wenn Sie die Einladung annehmen.',
  },
  ar: {
    subject: (who, library) =>
      who ? `يدعوك ${isolated(who)} إلى «${isolated(library)}»` : `أنت مدعو إلى «${isolated(library)}»`,
    title: (library) => `دعوة إلى «${isolated(library)}»`,
    someone: 'شخص ما',
    invites: (who, library, role) => `يدعوك ${isolated(who)} إلى المكتبة «${isolated(library)}» بصفة ${role}.`,
    opens: (who, collection, library) =>
      `يفتح ${isolated(who)} أمامك المجموعة «${isolated(collection)}» في المكتبة «${isolated(library)}».`,
    roles: { guest: 'ضيف', reader: 'قارئ', editor: 'محرِّر', owner: 'مالك' },
    rights: {
      reader: 'يمكنك قراءة كل ما فيها وكتابة التعليقات.',
      editor: 'يمكنك قراءة كل ما فيها وكتابة التعليقات وإضافة المستندات وتعديلها.',
      owner: 'أنتما مالكان معًا: يمكنك فعل كل شيء فيها وإدارة أعضائها وإعداداتها.',
    },
    about: 'Carrel مكتبة يتشاركها فريق: ملفات وملاحظات وروابط يمكن العثور على كل مقطع فيها.',
    open: 'فتح الدعوة',
    until: (day, email) => `يعمل الرابط مرة واحدة، حتى ${day}، وللعنوان ${isolated(email)}.`,
    unexpected: 'إن لم تكن تتوقع هذه الرسالة فتجاهلها: لن تنضم إلى شيء ما لم تقبل الدعوة.',
  },
}
