import { z } from 'zod'
import { isolated, type MailLanguage, mailLanguage } from '../_shared/mail/language.ts'
import { renderHtml, renderText } from '../_shared/mail/layout.ts'
import type { Mail } from '../_shared/mail/smtp.ts'
import { line } from '../_shared/mail/user-text.ts'

export const MailRequest = z.object({
  email: z.string(),
  locale: z.string(),
  library_id: z.guid(),
  library: z.string(),
  invited: z.string(),
})
export type MailRequest = z.infer<typeof MailRequest>

/** @param site The app's address. */
export function mailOf({ email, locale, library_id, library, invited }: MailRequest, site: string): Mail {
  const language = mailLanguage(locale)
  const texts = TEXTS[language]
  const content = {
    title: texts.title,
    paragraphs: [texts.asks(line(invited), line(library))],
    action: { label: texts.open, url: `${site}/l/${library_id}/members` },
    notes: [texts.why],
  }
  return {
    to: email,
    subject: texts.subject(line(invited)),
    text: renderText(content),
    html: renderHtml(content, language),
  }
}

type Texts = {
  subject(invited: string): string
  title: string
  asks(invited: string, library: string): string
  open: string
  why: string
}

const TEXTS: Record<MailLanguage, Texts> = {
  en: {
    subject: (invited) => `${invited} asks for a new invitation`,
    title: 'An invitation has expired',
    asks: (invited, library) =>
      `${invited} opened the invitation to your library “${library}” after it had expired, and asks for a new one. Under Members, choose “Send again”.`,
    open: 'Open the members',
    why: 'You’re getting this email because you own the library. We send it once per invitation.',
  },
  de: {
    subject: (invited) => `${invited} bittet um eine neue Einladung`,
    title: 'Eine Einladung ist abgelaufen',
    asks: (invited, library) =>
      `${invited} hat die Einladung in Ihre Bibliothek „${library}“ erst nach ihrem Ablauf geöffnet und bittet um eine neue. Wählen Sie unter „Mitglieder“ „Noch einmal schicken“.`,
    open: 'Mitglieder öffnen',
    why: 'Sie bekommen diese E-Mail, weil Ihnen die Bibliothek gehört. Sie kommt für jede Einladung nur einmal.',
  },
  ar: {
    subject: (invited) => `يطلب ${isolated(invited)} دعوة جديدة`,
    title: 'انتهت صلاحية دعوة',
    asks: (invited, library) =>
      `فتح ${isolated(invited)} الدعوة إلى مكتبتك «${isolated(library)}» بعد انتهاء صلاحيتها، ويطلب دعوة جديدة. اختر «إعادة الإرسال» ضمن «الأعضاء».`,
    open: 'فتح الأعضاء',
    why: 'وصلتك هذه الرسالة لأنك مالك المكتبة. وهي تُرسل مرة واحدة لكل دعوة.',
  },
}
