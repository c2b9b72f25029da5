import { isolated, type MailLanguage } from '../_shared/mail/language.ts'

export type Texts = {
  about(sentence: string, title: string): string
  several(count: number): string
  mentioned(name: string): string
  mentionedInNote(names: string, count: number): string
  listed(names: readonly string[]): string
  replied(name: string): string
  invited(name: string): string
  read(count: number): string
  failed(count: number, read: number): string
  /** Files sent through a file request. */
  arrived(count: number): string
  found(passages: number): string
  foundBy(passages: number, search: string): string
  toldBy(rule: string): string
  toldByRule: string
  verify: string
  proposed(name: string): string
  approved(name: string): string
  returned(name: string): string
  inLibrary(library: string): string
  /** Replaces names and texts that a mail must not reveal. */
  hidden: string
  secured: string
  somebody: string
  imported: string
  notification: string
  open: string
  inbox: string
  why(settings: string): string
}

const listIn = (locale: string, names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'conjunction' }).format(names)

const en: Texts = {
  about: (sentence, title) => `${sentence}: “${title}”`,
  several: (count) => `${count} notifications`,
  mentioned: (name) => `${name} mentions you in a comment`,
  mentionedInNote: (names, count) => `${names} ${count > 1 ? 'mention' : 'mentions'} you in a note`,
  listed: (names) => listIn('en-GB', names),
  replied: (name) => `${name} replied to a comment`,
  invited: (name) => `${name} invites you to a library`,
  read: (count) => (count === 1 ? 'Your document has been read' : `Your ${count} documents have been read`),
  failed: (count, read) =>
    `${count === 1 ? 'One document' : `${count} documents`} could not be read${read > 0 ? `, ${read} have been read` : ''}`,
  arrived: (count) => (count === 1 ? 'A file has arrived' : `${count} files have arrived`),
  found: (passages) =>
    passages === 1 ? 'A saved search has one new passage' : `A saved search has ${passages} new passages`,
  foundBy: (passages, search) =>
    passages === 1 ? `One new passage for “${search}”` : `${passages} new passages for “${search}”`,
  toldBy: (rule) => `The rule “${rule}” tells you of a document`,
  toldByRule: 'A rule tells you of a document',
  verify: 'Please check whether this document is still valid',
  proposed: (name) => `${name} asks you to approve a change`,
  approved: (name) => `${name} approved your change`,
  returned: (name) => `${name} sent your change back`,
  inLibrary: (library) => `This is in the library “${library}”.`,
  hidden: 'A library shows what is in it only to those who use their second factor there.',
  secured: 'A library that requires a second factor',
  somebody: 'Someone',
  imported: 'Import',
  notification: 'Notification',
  open: 'Open',
  inbox: 'Open the inbox',
  why: (settings) =>
    `You’re getting this email because you turned on notifications. Change or stop them in your profile: ${settings}`,
}

const de: Texts = {
  about: (sentence, title) => `${sentence}: „${title}“`,
  several: (count) => `${count} Benachrichtigungen`,
  mentioned: (name) => `${name} erwähnt Sie in einem Kommentar`,
  mentionedInNote: (names, count) => `${names} ${count > 1 ? 'erwähnen' : 'erwähnt'} Sie in einer Notiz`,
  listed: (names) => listIn('de-DE', names),
  replied: (name) => `${name} hat auf einen Kommentar geantwortet`,
  invited: (name) => `${name} lädt Sie in eine Bibliothek ein`,
  read: (count) => (count === 1 ? 'Ihr Dokument ist eingelesen' : `Ihre ${count} Dokumente sind eingelesen`),
  failed: (count, read) =>
    `${count === 1 ? 'Ein Dokument konnte' : `${count} Dokumente konnten`} nicht eingelesen werden${read > 0 ? `, ${read} sind eingelesen` : ''}`,
  arrived: (count) => (count === 1 ? 'Eine Datei ist eingegangen' : `${count} Dateien sind eingegangen`),
  found: (passages) =>
    passages === 1
      ? 'Eine gespeicherte Suche hat eine neue Stelle'
      : `Eine gespeicherte Suche hat ${passages} neue Stellen`,
  foundBy: (passages, search) =>
    passages === 1 ? `Eine neue Stelle zu „${search}“` : `${passages} neue Stellen zu „${search}“`,
  toldBy: (rule) => `Die Regel „${rule}“ weist Sie auf ein Dokument hin`,
  toldByRule: 'Eine Regel weist Sie auf ein Dokument hin',
  verify: 'Bitte prüfen Sie, ob dieses Dokument noch gilt',
  proposed: (name) => `${name} bittet Sie, eine Änderung freizugeben`,
  approved: (name) => `${name} hat Ihre Änderung freigegeben`,
  returned: (name) => `${name} hat Ihre Änderung zurückgegeben`,
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
  about: (sentence, title) => `${sentence}: «${isolated(title)}»`,
  several: (count) => counted(count, 'إشعار واحد', 'إشعاران', 'إشعارات', 'إشعارًا'),
  mentioned: (name) => `أشار إليك ${name} في تعليق`,
  mentionedInNote: (names) => `أشار إليك ${names} في ملاحظة`,
  listed: (names) => listIn('ar', names.map(isolated)),
  replied: (name) => `ردّ ${name} على تعليق`,
  invited: (name) => `يدعوك ${name} إلى مكتبة`,
  read: (count) => `اكتملت قراءة ${documentsInArabic(count)}`,
  failed: (count, read) =>
    `تعذّرت قراءة ${documentsInArabic(count)}${read > 0 ? `، واكتملت قراءة ${documentsInArabic(read)}` : ''}`,
  arrived: (count) => `ملفات واردة: ${counted(count, 'ملف واحد', 'ملفان', 'ملفات', 'ملفًا')}`,
  found: (passages) => `في نتائج بحث محفوظ: ${passagesInArabic(passages)}`,
  foundBy: (passages, search) => `في نتائج البحث «${isolated(search)}»: ${passagesInArabic(passages)}`,
  toldBy: (rule) => `تُعلمك القاعدة «${isolated(rule)}» بمستند`,
  toldByRule: 'تُعلمك قاعدة بمستند',
  verify: 'يُرجى التحقق مما إذا كان هذا المستند لا يزال ساريًا',
  proposed: (name) => `يطلب منك ${name} الموافقة على تعديل`,
  approved: (name) => `وافق ${name} على تعديلك`,
  returned: (name) => `أعاد ${name} تعديلك إليك`,
  inLibrary: (library) => `وذلك في المكتبة «${isolated(library)}».`,
  hidden: 'لا تعرض المكتبة محتواها إلا لمن يستخدم فيها عامله الثاني.',
  secured: 'مكتبة تشترط عاملًا ثانيًا',
  somebody: 'شخص ما',
  imported: 'استيراد',
  notification: 'إشعار',
  open: 'فتح',
  inbox: 'فتح صندوق الوارد',
  why: (settings) => `تصلك هذه الرسائل لأنك اخترت ذلك. يمكنك تغييرها أو إيقافها من ملفك الشخصي: ${isolated(settings)}`,
}

export const TEXTS: Record<MailLanguage, Texts> = { en, de, ar }
