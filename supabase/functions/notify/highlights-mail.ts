import { z } from 'zod'
import { isolated, longDate, type MailLanguage } from '../_shared/mail/language.ts'
import type { MailContent, MailEntry } from '../_shared/mail/layout.ts'
import { line, quotation } from '../_shared/mail/user-text.ts'

/** A passage that the person has marked. */
export const MailedHighlight = z.object({
  id: z.guid(),
  library_id: z.guid(),
  library: z.string(),
  document_id: z.guid(),
  title: z.string(),
  page: z.number().nullable(),
  quote: z.string(),
  /** What they wrote about it; empty for a highlight. */
  body: z.string(),
  created_at: z.string(),
})
export type MailedHighlight = z.infer<typeof MailedHighlight>

/** In characters. */
const LONGEST_QUOTE = 1000
const LONGEST_COMMENT = 200

type Texts = {
  subject(count: number): string
  lead: string
  marked(day: string): string
  page(number: number): string
  open: string
}

const TEXTS: Record<MailLanguage, Texts> = {
  en: {
    subject: (count) => (count === 1 ? 'One of your highlights' : `${count} of your highlights`),
    lead: 'What you once marked, to be read again.',
    marked: (day) => `Marked on ${day}`,
    page: (number) => `page ${number}`,
    open: 'All highlights',
  },
  de: {
    subject: (count) => (count === 1 ? 'Eine Ihrer Markierungen' : `${count} Ihrer Markierungen`),
    lead: 'Was Sie einmal markiert haben, zum Wiederlesen.',
    marked: (day) => `Markiert am ${day}`,
    page: (number) => `Seite ${number}`,
    open: 'Alle Markierungen',
  },
  ar: {
    subject: (count) => (count === 1 ? 'أحد تظليلاتك' : count === 2 ? 'اثنان من تظليلاتك' : `${count} من تظليلاتك`),
    lead: 'ما ظلّلته من قبل، لتقرأه مرة أخرى.',
    marked: (day) => `ظُلّل في ${isolated(day)}`,
    page: (number) => `الصفحة ${number}`,
    open: 'كل التظليلات',
  },
}

/** A mail of some of a person's own highlights, at least one, each with the way to its place. */
export function highlightsContent(
  highlights: readonly MailedHighlight[],
  language: MailLanguage,
  site: string,
): { subject: string; content: Omit<MailContent, 'notes'> } {
  const texts = TEXTS[language]
  const subject = texts.subject(highlights.length)
  const entries = highlights.map(
    ({ id, library_id, library, document_id, title, page, quote, body, created_at }): MailEntry => {
      const facts = [texts.marked(longDate(created_at, language)), ...(page === null ? [] : [texts.page(page)])]
      return {
        context: line(library),
        title: line(title),
        url: `${site}/l/${library_id}/d/${document_id}?comment=${id}`,
        text: [...facts, ...(body === '' ? [] : [line(quotation(body, LONGEST_COMMENT))])].join(' · '),
        quote: quotation(quote, LONGEST_QUOTE),
      }
    },
  )
  // Of several libraries, that of the first.
  const action = { label: texts.open, url: `${site}/l/${highlights[0]?.library_id}/highlights` }
  return { subject, content: { title: subject, paragraphs: [texts.lead], entries, action } }
}
