import { formatDate } from '../../../lib/i18n/format.ts'
import { escapeMarkdown } from '../../../lib/markdown.ts'

const PLACEHOLDER = /\{\{\s*(date|title|author)\s*\}\}/g

export type Filling = { date: string; title: string; author: string }

/** Fills a template's placeholders. @param filling As Markdown. */
export const fillTemplate = (body: string, filling: Filling): string =>
  body.replaceAll(PLACEHOLDER, (_, name: keyof Filling) => filling[name])

/** Returns a new note's text from a template, with its title as heading unless it has one.
 *  @param title The title already typed; defaults to the template's. */
export function beginningWith(template: { title: string; body: string }, title: string, author: string): string {
  const name = escapeMarkdown(title.trim() || template.title)
  const date = formatDate(new Date().toISOString())
  const text = fillTemplate(template.body, { title: name, date, author: escapeMarkdown(author) })
  return text.startsWith('# ') ? text : `# ${name}\n\n${text}`
}

const PICTURE = /!\[((?:\\.|[^\]\\])*)\]\(pictures\/[^)]*\)/g

/** Turns a note's text into a template. Pictures belong to their note, so only descriptions stay.
 *  @returns the text and the number of removed pictures. */
export function templateFrom(body: string): { body: string; pictures: number } {
  return { body: body.replaceAll(PICTURE, '$1'), pictures: body.match(PICTURE)?.length ?? 0 }
}
