import { formatDate } from '../../../lib/i18n/format.ts'
import { escapeMarkdown } from '../../../lib/markdown.ts'

/** What a template has in place of what is only known when a note begins with it. */
const PLACEHOLDER = /\{\{\s*(date|title|author)\s*\}\}/g

export type Filling = { date: string; title: string; author: string }

/** The text of a note that begins with a template. @param filling As Markdown. */
export const fillTemplate = (body: string, filling: Filling): string =>
  body.replaceAll(PLACEHOLDER, (_, name: keyof Filling) => filling[name])

/** The text of a note that begins with a template: its title as a heading, unless the template has one.
 *  @param title What is written as the title already; the template's own where there is nothing. */
export function beginningWith(template: { title: string; body: string }, title: string, author: string): string {
  const name = escapeMarkdown(title.trim() || template.title)
  const date = formatDate(new Date().toISOString())
  const text = fillTemplate(template.body, { title: name, date, author: escapeMarkdown(author) })
  return text.startsWith('# ') ? text : `# ${name}\n\n${text}`
}

const PICTURE = /!\[((?:\\.|[^\]\\])*)\]\(pictures\/[^)]*\)/g

/** The text of a note as a template. Pictures belong to their note: their descriptions stay.
 *  @returns the text, and how many pictures it lost. */
export function templateFrom(body: string): { body: string; pictures: number } {
  return { body: body.replaceAll(PICTURE, '$1'), pictures: body.match(PICTURE)?.length ?? 0 }
}
