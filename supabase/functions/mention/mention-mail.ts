import { z } from 'zod'
import { isolated, type MailLanguage, mailLanguage } from '../_shared/mail/language.ts'
import { renderHtml, renderText } from '../_shared/mail/layout.ts'
import type { Mail } from '../_shared/mail/settings.ts'
import { line } from '../_shared/mail/user-text.ts'

/** A row of `take_mention_mails`. */
export const Owed = z.object({
  user_id: z.guid(),
  email: z.string(),
  library_id: z.guid(),
  document_id: z.guid(),
  author_name: z.string(),
  /** Null when the library requires a second factor: a mail must not reveal its content. */
  library_name: z.string().nullable(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  /** The language that the person has chosen. */
  locale: z.string(),
})
export type Owed = z.infer<typeof Owed>

const LONGEST_SUBJECT = 150

/** The mail to somebody who is mentioned in a comment, in their language. @param site The address of the app. */
export function mailOf(owed: Owed, comment: string, site: string): Mail {
  const language = mailLanguage(owed.locale)
  const texts = TEXTS[language]
  const author = line(owed.author_name)
  const subject = owed.title === null ? texts.hiddenSubject(author) : texts.subject(author, line(owed.title))
  const content = {
    title: owed.title === null ? texts.hiddenTitle : line(owed.title),
    paragraphs: [owed.body === null ? texts.hidden(author) : texts.wrote(author, line(owed.library_name ?? ''))],
    ...(owed.body === null ? {} : { quote: quoted(owed.body) }),
    action: {
      label: texts.open,
      url: `${site}/l/${owed.library_id}/d/${owed.document_id}?comment=${comment}`,
    },
    notes: [texts.why(`${site}/settings/profile`)],
  }
  return {
    to: owed.email,
    subject: subject.slice(0, LONGEST_SUBJECT),
    text: renderText(content),
    html: renderHtml(content, language),
  }
}

/** Shows mentions as readers see them, not as they are stored. */
const quoted = (body: string): string =>
  body
    .replaceAll(/@\[([^\][]{1,80})\]\([0-9a-f-]{36}\)/g, '@$1')
    .split('\n')
    .map(line)
    .join('\n')

type Texts = {
  subject(author: string, title: string): string
  hiddenSubject(author: string): string
  hiddenTitle: string
  wrote(author: string, library: string): string
  hidden(author: string): string
  open: string
  why(settings: string): string
}

const TEXTS: Record<MailLanguage, Texts> = {
  en: {
    subject: (author, title) => `${author} mentions you in “${title}”`,
    hiddenSubject: (author) => `${author} mentions you in a comment`,
    hiddenTitle: 'You are mentioned in a comment',
    wrote: (author, library) => `${author} wrote in the library “${library}”:`,
    hidden: (author) =>
      `${author} has written a comment that mentions you. Its library shows what is in it only to those who use their second factor there.`,
    open: 'Read the comment',
    why: (settings) =>
      `You get this mail because a comment mentions you. You can turn these mails off in your profile: ${settings}`,
  },
  de: {
    subject: (author, title) => `${author} erwähnt Sie in „${title}“`,
    hiddenSubject: (author) => `${author} erwähnt Sie in einem Kommentar`,
    hiddenTitle: 'Sie werden in einem Kommentar erwähnt',
    wrote: (author, library) => `${author} schrieb in der Bibliothek „${library}“:`,
    hidden: (author) =>
      `${author} hat einen Kommentar geschrieben, der Sie erwähnt. Die Bibliothek zeigt ihren Inhalt nur denen, die sich dort mit ihrem zweiten Faktor anmelden.`,
    open: 'Kommentar lesen',
    why: (settings) =>
      `Sie bekommen diese E-Mail, weil ein Kommentar Sie erwähnt. In Ihrem Profil können Sie diese E-Mails abstellen: ${settings}`,
  },
  ar: {
    subject: (author, title) => `أشار إليك ${isolated(author)} في «${isolated(title)}»`,
    hiddenSubject: (author) => `أشار إليك ${isolated(author)} في تعليق`,
    hiddenTitle: 'أُشير إليك في تعليق',
    wrote: (author, library) => `كتب ${isolated(author)} في المكتبة «${isolated(library)}»:`,
    hidden: (author) =>
      `كتب ${isolated(author)} تعليقًا أشار فيه إليك. ولا تعرض مكتبته محتواه إلا لمن يستخدم فيها عامله الثاني.`,
    open: 'قراءة التعليق',
    why: (settings) =>
      `وصلتك هذه الرسالة لأن تعليقًا أشار إليك. يمكنك إيقاف هذه الرسائل من ملفك الشخصي: ${isolated(settings)}`,
  },
}
