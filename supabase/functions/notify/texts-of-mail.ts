import { z } from 'zod'
import { Constants } from '../_shared/database.ts'
import { isolated, type MailLanguage } from '../_shared/mail/language.ts'

/** The others are not mailed (private.frequency_of), or have a mail of their own. */
export const MailedKind = z
  .enum(Constants.public.Enums.notification_kind)
  .exclude(['invitation', 'webhook', 'retention'])

/** A notification with texts of people as single lines. Null replaces what a mail must not reveal. */
type Said = {
  readonly names: string
  readonly count: number
  readonly comment_id: string | null
  readonly amount: number
  readonly failed: number
  readonly search: string | null
  readonly rule: string | null
}

export type Texts = {
  says: Record<z.infer<typeof MailedKind>, (notification: Said) => string>
  about(sentence: string, title: string): string
  several(count: number): string
  listed(names: readonly string[]): string
  inLibrary(library: string): string
  /** Replaces names and texts that a mail must not reveal. */
  hidden: string
  secured: string
  someone: string
  imported: string
  notification: string
  open: string
  inbox: string
  why(settings: string): string
}

const listIn = (locale: string, names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'conjunction' }).format(names)

const en: Texts = {
  says: {
    mention: ({ names, count, comment_id }) =>
      comment_id
        ? `${names} mentions you in a comment`
        : `${names} ${count > 1 ? 'mention' : 'mentions'} you in a note`,
    reply: ({ names }) => `${names} replied to a comment`,
    import: ({ amount, failed }) =>
      failed > 0
        ? `${failed === 1 ? 'One document' : `${failed} documents`} could not be read${amount > 0 ? `, ${amount} have been read` : ''}`
        : amount === 1
          ? 'Your document has been read'
          : `Your ${amount} documents have been read`,
    request: ({ amount }) => (amount === 1 ? 'A file has arrived' : `${amount} files have arrived`),
    search: ({ amount, search }) =>
      search
        ? `${amount === 1 ? 'One new passage' : `${amount} new passages`} for “${search}”`
        : `A saved search has ${amount === 1 ? 'one new passage' : `${amount} new passages`}`,
    rule: ({ rule }) => `${rule ? `The rule “${rule}”` : 'A rule'} notified you about a document`,
    verification: () => 'Please check whether this document is still valid',
    proposal: ({ names }) => `${names} asks you to approve a change`,
    approved: ({ names }) => `${names} approved your change`,
    returned: ({ names }) => `${names} sent your change back`,
  },
  about: (sentence, title) => `${sentence}: “${title}”`,
  several: (count) => `${count} notifications`,
  listed: (names) => listIn('en-GB', names),
  inLibrary: (library) => `This is in the library “${library}”.`,
  hidden: 'A library shows what is in it only to those who use their second factor there.',
  secured: 'A library that requires a second factor',
  someone: 'Someone',
  imported: 'Import',
  notification: 'Notification',
  open: 'Open',
  inbox: 'Open the inbox',
  why: (settings) =>
    `You’re getting this email because you turned on notifications. Change or stop them in your profile: ${settings}`,
}

const de: Texts = {
  says: {
    mention: ({ names, count, comment_id }) =>
      comment_id
        ? `${names} erwähnt Sie in einem Kommentar`
        : `${names} ${count > 1 ? 'erwähnen' : 'erwähnt'} Sie in einer Notiz`,
    reply: ({ names }) => `${names} hat auf einen Kommentar geantwortet`,
    import: ({ amount, failed }) =>
      failed > 0
        ? `${failed === 1 ? 'Ein Dokument konnte' : `${failed} Dokumente konnten`} nicht eingelesen werden${amount > 0 ? `, ${amount} sind eingelesen` : ''}`
        : amount === 1
          ? 'Ihr Dokument ist eingelesen'
          : `Ihre ${amount} Dokumente sind eingelesen`,
    request: ({ amount }) => (amount === 1 ? 'Eine Datei ist eingegangen' : `${amount} Dateien sind eingegangen`),
    search: ({ amount, search }) =>
      search
        ? `${amount === 1 ? 'Eine neue Stelle' : `${amount} neue Stellen`} zu „${search}“`
        : `Eine gespeicherte Suche hat ${amount === 1 ? 'eine neue Stelle' : `${amount} neue Stellen`}`,
    rule: ({ rule }) => `${rule ? `Die Regel „${rule}“` : 'Eine Regel'} weist Sie auf ein Dokument hin`,
    verification: () => 'Bitte prüfen Sie, ob dieses Dokument noch gilt',
    proposal: ({ names }) => `${names} bittet Sie, eine Änderung freizugeben`,
    approved: ({ names }) => `${names} hat Ihre Änderung freigegeben`,
    returned: ({ names }) => `${names} hat Ihre Änderung zurückgegeben`,
  },
  about: (sentence, title) => `${sentence}: „${title}“`,
  several: (count) => `${count} Benachrichtigungen`,
  listed: (names) => listIn('de-DE', names),
  inLibrary: (library) => `Das ist in der Bibliothek „${library}“.`,
  hidden: 'Eine Bibliothek zeigt ihren Inhalt nur denen, die sich dort mit ihrem zweiten Faktor anmelden.',
  secured: 'Eine Bibliothek, die einen zweiten Faktor verlangt',
  someone: 'Jemand',
  imported: 'Import',
  notification: 'Benachrichtigung',
  open: 'Öffnen',
  inbox: 'Posteingang öffnen',
  why: (settings) =>
    `Sie haben gewählt, diese E-Mails zu bekommen. In Ihrem Profil können Sie sie ändern oder abstellen: ${settings}`,
}

/** Inflects a counted noun: Arabic has forms for one, two, three to ten, and more. */
const counted = (count: number, one: string, two: string, few: string, many: string): string => {
  const forms: Partial<Record<Intl.LDMLPluralRule, string>> = { one, two, few: `${count} ${few}` }
  return forms[AR_PLURALS.select(count)] ?? `${count} ${many}`
}
const AR_PLURALS = new Intl.PluralRules('ar')
const documentsInArabic = (count: number) => counted(count, 'مستند واحد', 'مستندين', 'مستندات', 'مستندًا')
const passagesInArabic = (count: number) =>
  counted(count, 'مقطع جديد واحد', 'مقطعان جديدان', 'مقاطع جديدة', 'مقطعًا جديدًا')

const ar: Texts = {
  says: {
    mention: ({ names, comment_id }) => `أشار إليك ${names} في ${comment_id ? 'تعليق' : 'ملاحظة'}`,
    reply: ({ names }) => `ردّ ${names} على تعليق`,
    import: ({ amount, failed }) =>
      failed > 0
        ? `تعذّرت قراءة ${documentsInArabic(failed)}${amount > 0 ? `، واكتملت قراءة ${documentsInArabic(amount)}` : ''}`
        : `اكتملت قراءة ${documentsInArabic(amount)}`,
    request: ({ amount }) => `ملفات واردة: ${counted(amount, 'ملف واحد', 'ملفان', 'ملفات', 'ملفًا')}`,
    search: ({ amount, search }) =>
      `في نتائج ${search ? `البحث «${isolated(search)}»` : 'بحث محفوظ'}: ${passagesInArabic(amount)}`,
    rule: ({ rule }) => (rule ? `تُعلمك القاعدة «${isolated(rule)}» بمستند` : 'تُعلمك قاعدة بمستند'),
    verification: () => 'يُرجى التحقق مما إذا كان هذا المستند لا يزال ساريًا',
    proposal: ({ names }) => `يطلب منك ${names} الموافقة على تعديل`,
    approved: ({ names }) => `وافق ${names} على تعديلك`,
    returned: ({ names }) => `أعاد ${names} تعديلك إليك`,
  },
  about: (sentence, title) => `${sentence}: «${isolated(title)}»`,
  several: (count) => counted(count, 'إشعار واحد', 'إشعاران', 'إشعارات', 'إشعارًا'),
  listed: (names) => listIn('ar', names.map(isolated)),
  inLibrary: (library) => `وذلك في المكتبة «${isolated(library)}».`,
  hidden: 'لا تعرض المكتبة محتواها إلا لمن يستخدم فيها عامله الثاني.',
  secured: 'مكتبة تشترط عاملًا ثانيًا',
  someone: 'شخص ما',
  imported: 'استيراد',
  notification: 'إشعار',
  open: 'فتح',
  inbox: 'فتح صندوق الوارد',
  why: (settings) => `تصلك هذه الرسائل لأنك اخترت ذلك. يمكنك تغييرها أو إيقافها من ملفك الشخصي: ${isolated(settings)}`,
}

export const TEXTS: Record<MailLanguage, Texts> = { en, de, ar }
