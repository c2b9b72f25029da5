import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textWithLinks } from './markdown.ts'
import { fileOf, SIDEBAR } from './pages.ts'

/** Writes the pages as Markdown next to the HTML, `llms.txt` with a list of them, and `llms-full.txt` with all of them in one.
 *  @param base The path that the site is served at. */
export function writeTexts(dist: string, base: string): void {
  const list: string[] = []
  const full: string[] = []
  for (const { text: title, items = [] } of SIDEBAR) {
    list.push(`\n## ${title}\n`)
    for (const { text, link = '' } of items) {
      const file = fileOf(link)
      const page = textWithLinks(file)
      const name = `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
      mkdirSync(dirname(join(dist, name)), { recursive: true })
      writeFileSync(join(dist, name), page)
      list.push(`- [${text}](${base}${name}): ${firstSentence(page)}`)
      full.push(page)
    }
  }
  const intro = `# undock\n\n> ${firstSentence(readFileSync(fileOf('/overview'), 'utf8'))}\n`
  writeFileSync(join(dist, 'llms.txt'), `${intro}${list.join('\n')}\n`)
  writeFileSync(join(dist, 'llms-full.txt'), full.join('\n\n---\n\n'))
}

/** The first sentence of the first paragraph. */
function firstSentence(page: string): string {
  const paragraph = page
    .replace(/^---\n.*?\n---\n/s, '')
    .split(/\n\n+/)
    .find((part) => !/^(?:#|<|```|\||!| {4})/.test(part.trim()) && part.trim() !== '')
  const text = (paragraph ?? '')
    .trim()
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
