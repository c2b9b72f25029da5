// `node scripts/mail-templates.ts [--check]`: generates the auth service's mail templates in the layout of the
// functions' mails. --check only fails if a file is outdated. Each template contains all languages; the account's
// metadata selects one.
import { direction, isolated, MAIL_LANGUAGES, type MailLanguage } from '../supabase/functions/_shared/mail/language.ts'
import { type MailContent, renderBody, renderPage } from '../supabase/functions/_shared/mail/layout.ts'
import { writeGenerated } from './processes.ts'

/** Selects a text when the mail is created, with English as fallback. */
const byLanguage = (textIn: (language: MailLanguage) => string): string =>
  MAIL_LANGUAGES.filter((language) => language !== 'en').reduceRight(
    (others, language) => `{{ if eq .Data.locale "${language}" }}${textIn(language)}{{ else }}${others}{{ end }}`,
    textIn('en'),
  )

const page = (contentIn: (language: MailLanguage) => MailContent): string =>
  renderPage(
    byLanguage((language) => language),
    byLanguage(direction),
    byLanguage((language) => `\n${renderBody(contentIn(language), language)}\n`),
  )

/** Links to a page of the app with a button that uses the token: link scanners would use up the service's own link. The
 *  token is in the fragment, which servers don't see. */
const linkFor = (type: 'signup' | 'recovery' | 'magiclink' | 'invite' | 'email_change'): string =>
  `{{ .RedirectTo }}#token_hash={{ .TokenHash }}&type=${type}`

const CODE: Record<MailLanguage, string> = {
  en: 'Reading this on another device? Type this code in the app:',
  de: 'Lesen Sie das auf einem anderen Gerät? Geben Sie in der App diesen Code ein:',
  ar: 'تقرأ هذا على جهاز آخر؟ اكتب هذا الرمز في التطبيق:',
}
const HOUR: Record<MailLanguage, string> = {
  en: 'It works once, for one hour.',
  de: 'Das gilt einmal, eine Stunde lang.',
  ar: 'يعمل مرة واحدة، لمدة ساعة.',
}
const UNEXPECTED: Record<MailLanguage, string> = {
  en: 'If you didn’t ask for this email, ignore it: nothing changes.',
  de: 'Wenn Sie diese E-Mail nicht angefordert haben, beachten Sie sie nicht: Es ändert sich nichts.',
  ar: 'إن لم تطلب هذه الرسالة فتجاهلها: لن يتغير شيء.',
}

type Texts = { readonly title: string; readonly says: string; readonly label: string }

/** Mails for which the app accepts a typed code. */
const WITH_CODE = new Set(['signup', 'recovery', 'magiclink'])

/** A mail with a link, and a code if the app accepts one. */
const linkMail = (type: Parameters<typeof linkFor>[0], texts: Record<MailLanguage, Texts>): string => {
  const contentIn = (language: MailLanguage): MailContent => ({
    title: texts[language].title,
    paragraphs: [texts[language].says],
    action: { label: texts[language].label, url: linkFor(type) },
    ...(WITH_CODE.has(type) ? { code: { lead: CODE[language], value: '{{ .Token }}' } } : {}),
    notes: [HOUR[language], UNEXPECTED[language]],
  })
  return page(contentIn)
}

const MAGIC_LINK = linkMail('magiclink', {
  en: { title: 'Sign in to Carrel', says: 'This link signs you in.', label: 'Sign in' },
  de: { title: 'Bei Carrel anmelden', says: 'Mit diesem Link melden Sie sich an.', label: 'Anmelden' },
  ar: { title: 'تسجيل الدخول إلى Carrel', says: 'يسجّل هذا الرابط دخولك.', label: 'تسجيل الدخول' },
})

/** Metadata that the function `invite` sets while a mail is created. */
const OFFER = ['{{ .Data.invitation.sentence }}', '{{ .Data.invitation.rights }}']

const OFFERED: Record<MailLanguage, Texts & { readonly unexpected: string }> = {
  en: {
    title: 'You are invited to a library',
    says: 'Carrel is a library that a team shares: files, notes and links in which every passage can be found.',
    label: 'Open the invitation',
    unexpected: 'If you didn’t expect this email, ignore it: you join nothing unless you accept.',
  },
  de: {
    title: 'Sie sind in eine Bibliothek eingeladen',
    says: 'Carrel ist eine gemeinsame Bibliothek für Teams: Dateien, Notizen und Links, in denen sich jede Stelle finden lässt.',
    label: 'Einladung öffnen',
    unexpected:
      'Wenn Sie diese E-Mail nicht erwartet haben, beachten Sie sie nicht: Sie treten nur bei, wenn Sie die Einladung annehmen.',
  },
  ar: {
    title: 'أنت مدعو إلى مكتبة',
    says: 'Carrel مكتبة يتشاركها فريق: ملفات وملاحظات وروابط يمكن العثور على كل مقطع فيها.',
    label: 'فتح الدعوة',
    unexpected: 'إن لم تكن تتوقع هذه الرسالة فتجاهلها: لن تنضم إلى شيء ما لم تقبل الدعوة.',
  },
}

/** @param url The invitation's address. @param isKnown Whether the invited person has an account. */
const offerMail = (url: string, isKnown: boolean): string => {
  const contentIn = (language: MailLanguage): MailContent => {
    const { title, says, label, unexpected } = OFFERED[language]
    return { title, paragraphs: [...OFFER, ...(isKnown ? [] : [says])], action: { label, url }, notes: [unexpected] }
  }
  return page(contentIn)
}

/** An account created without an invitation to a library, for example in the dashboard. */
const BARE_INVITATION = linkMail('invite', {
  en: { title: 'You are invited to Carrel', says: 'An account was created for you.', label: 'Open your account' },
  de: {
    title: 'Sie sind zu Carrel eingeladen',
    says: 'Für Sie wurde ein Konto angelegt.',
    label: 'Konto öffnen',
  },
  ar: { title: 'أنت مدعو إلى Carrel', says: 'أُنشئ لك حساب.', label: 'فتح الحساب' },
})

const eitherOffer = (offer: string, other: string): string =>
  `{{ if .Data.invitation }}${offer}{{ else }}${other}{{ end }}`

const IS_IT_YOU: Record<MailLanguage, string> = { en: 'Is it you?', de: 'Sind Sie es?', ar: 'أهذا أنت؟' }
const TYPE_CODE: Record<MailLanguage, string> = {
  en: 'Type this code in the app to continue:',
  de: 'Geben Sie in der App diesen Code ein, um fortzufahren:',
  ar: 'اكتب هذا الرمز في التطبيق للمتابعة:',
}

const TEMPLATES: Record<string, string> = {
  confirmation: linkMail('signup', {
    en: {
      title: 'Confirm your email',
      says: 'One more step: confirm that this email address is yours. Then your account is ready.',
      label: 'Confirm email',
    },
    de: {
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      says: 'Noch ein Schritt: Bestätigen Sie, dass dieses Postfach Ihnen gehört. Dann ist Ihr Konto bereit.',
      label: 'E-Mail-Adresse bestätigen',
    },
    ar: {
      title: 'أكِّد بريدك الإلكتروني',
      says: 'خطوة أخيرة: أكِّد أن صندوق البريد هذا لك، فيصبح حسابك جاهزًا.',
      label: 'تأكيد العنوان',
    },
  }),
  recovery: linkMail('recovery', {
    en: {
      title: 'Set a new password',
      says: 'Someone asked for a new password for the account of {{ .Email }}.',
      label: 'Set a new password',
    },
    de: {
      title: 'Neues Passwort festlegen',
      says: 'Für das Konto von {{ .Email }} wurde ein neues Passwort angefordert.',
      label: 'Neues Passwort festlegen',
    },
    ar: {
      title: 'تعيين كلمة مرور جديدة',
      says: `طُلبت كلمة مرور جديدة لحساب ${isolated('{{ .Email }}')}.`,
      label: 'تعيين كلمة مرور جديدة',
    },
  }),
  magic_link: eitherOffer(offerMail(linkFor('magiclink'), true), MAGIC_LINK),
  invite: eitherOffer(offerMail('{{ .RedirectTo }}', false), BARE_INVITATION),
  email_change: linkMail('email_change', {
    en: {
      title: 'Confirm your new email',
      says: 'Your account’s email will change from {{ .Email }} to {{ .NewEmail }} once both addresses have confirmed it.',
      label: 'Confirm change',
    },
    de: {
      title: 'Bestätigen Sie die neue E-Mail-Adresse',
      says: 'Die E-Mail-Adresse Ihres Kontos wechselt von {{ .Email }} zu {{ .NewEmail }}, sobald beide Adressen es bestätigt haben.',
      label: 'Wechsel bestätigen',
    },
    ar: {
      title: 'أكِّد تغيير العنوان',
      says: `سيتغير عنوان حسابك من ${isolated('{{ .Email }}')} إلى ${isolated('{{ .NewEmail }}')}، متى أكّد صندوقا البريد ذلك.`,
      label: 'تأكيد التغيير',
    },
  }),
  reauthentication: page((language) => ({
    title: IS_IT_YOU[language],
    paragraphs: [],
    code: { lead: TYPE_CODE[language], value: '{{ .Token }}' },
    notes: [HOUR[language], UNEXPECTED[language]],
  })),
}

for (const [name, html] of Object.entries(TEMPLATES))
  writeGenerated(`supabase/templates/${name}.html`, html, 'node scripts/mail-templates.ts')
