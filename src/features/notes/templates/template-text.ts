/** What a template has in place of what is only known when a note begins with it. */
const PLACEHOLDER = /\{\{\s*(date|title|author)\s*\}\}/g

export type Filling = { date: string; title: string; author: string }

/** The text of a note that begins with a template. @param filling As Markdown. */
export const fillTemplate = (body: string, filling: Filling): string =>
  body.replaceAll(PLACEHOLDER, (_, name: keyof Filling) => filling[name])

const PICTURE = /!\[((?:\\.|[^\]\\])*)\]\(pictures\/[^)]*\)/g

/** The text of a note as a template. Pictures belong to their note: their descriptions stay.
 *  @returns the text, and how many pictures it lost. */
export function templateFrom(body: string): { body: string; pictures: number } {
  return { body: body.replaceAll(PICTURE, '$1'), pictures: body.match(PICTURE)?.length ?? 0 }
}
