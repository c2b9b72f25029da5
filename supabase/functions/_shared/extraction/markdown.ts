import { parseFragment } from 'parse5'
import { chooseAuthor, chooseTitle, dayOf, type OutlineEntry } from './about.ts'
import { type Extraction, HeadingPath, type Section } from './extraction.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const HTML_HEADING = /<h([1-6])(?:\s[^<>]*)?>(.*?)<\/h\1>/i
/** Characters of a possible heading line: the regex takes superlinear time. */
const MAX_HEADING_LENGTH = 1000
const CODE_OR_HTML =
  /(^ {0,3}(`{3,}|~{3,})[\s\S]*?\n {0,3}\2|`[^`\n]+`)|<!--[\s\S]*?-->|<\/?(?:a|abbr|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var)(?:\s[^<>]*)?\/?>|&(?:#x?[\da-f]{1,7}|[a-z]\w{1,30});/gim
/** Of these tags, those that end a word. */
const BREAK =
  /^<\/?(?:blockquote|br|center|d[dlt]|details|div|fig|h[1-6r]|li|[ou]l|p|pre|summary|t(?:able|body|d|h|head|r))\b/i
const entity = (found: string): string =>
  parseFragment(found)
    .childNodes.map((node) => ('value' in node ? node.value : found))
    .join('')
    .replace('\u00a0', ' ')
/** A link or picture; a link may contain a picture. Brackets nest once, so that open ones take linear time. */
const LINK = /!?\[((?:[^\][]|\[[^\][]*\])*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g
const ADDRESS =
  /^ {0,3}\[[^\]^][^\]]*\]:[ \t]*(?:<[^<>\n]*>|\S+)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$\r?\n?/gm
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/

/** Splits Markdown into one section per heading. Offsets refer to the unchanged source, including front matter. */
export function extractMarkdown(source: string): Extraction {
  const headings = new HeadingPath()
  const sections: Section[] = []
  const outline: OutlineEntry[] = []
  let start = frontMatterLength(source)
  let position = start
  let fence: string | null = null
  let previous: { text: string; start: number } | null = null

  const close = (end: number) => {
    const text = source.slice(start, end)
    // READMEs often begin with the tags of a centered heading.
    if (text.trim() && (text.length > MAX_HEADING_LENGTH || readableMarkdown(text)))
      sections.push({ page: null, heading: headings.aboveText(), text, start })
  }
  const enter = (level: number, name: string) => {
    for (const heading of headings.enter(level, name)) sections.push({ page: null, ...heading, start })
    if (name) outline.push({ title: name.slice(0, 200), level, page: null })
  }
  for (const line of linesOf(source.slice(position))) {
    const end = position + line.length
    const text = line.trimEnd()
    const marker = FENCE.exec(text)?.[1]
    if (marker && (fence === null || marker.startsWith(fence))) fence = fence === null ? marker : null
    else if (fence === null && text.length <= MAX_HEADING_LENGTH) {
      const html = HTML_HEADING.exec(text)
      const atx = html ?? ATX_HEADING.exec(text)
      const underline = previous?.text.trim() ? SETEXT_UNDERLINE.exec(text) : null
      if (atx?.[1]) {
        close(position)
        enter(html ? Number(html[1]) : atx[1].length, readableMarkdown(atx[2] ?? ''))
        start = end
      } else if (underline?.[1] && previous) {
        close(previous.start)
        enter(underline[1].startsWith('=') ? 1 : 2, readableMarkdown(previous.text))
        start = end
      }
    }
    // Only an ordinary text line can precede a setext underline.
    previous =
      fence === null && text.length <= MAX_HEADING_LENGTH && !ATX_HEADING.test(text) ? { text, start: position } : null
    position = end
  }
  close(source.length)
  enter(0, '')
  return { sections, mimeType: 'text/markdown', pages: null, about: frontMatter(source), outline }
}

/** Returns Markdown as readers see it, without its syntax; items of a list begin as in passages of HTML. */
export function readableMarkdown(source: string): string {
  if (!/[`*_~[\]<>&\\#|+-]|\d[.)]/.test(source)) return source.trim()
  return source
    .replace(
      CODE_OR_HTML,
      (found, code?: string) => code ?? (found.startsWith('&') ? entity(found) : BREAK.test(found) ? ' ' : ''),
    )
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(LINK, '$1')
    .replace(LINK, '$1')
    .replace(/!?\[([^\][]+)\]\[[^\][]*\]/g, '$1')
    .replace(/<((?:https?:|mailto:)[^>\s]+)>/g, '$1')
    .replace(/^ {0,3}(?:>[ \t]?)+/gm, '')
    .replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, source.trim().includes('\n') ? '• ' : '')
    .replace(ADDRESS, '')
    .replace(/^(?:[ \t]*(?:[-*_][ \t]*){3,}|(?=.*-)[ \t|:-]+)$\r?\n?/gm, '')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*\\])\*(?=\S)([^*\n]+?)(?<=[^\s\\])\*(?![\w*])/g, '$1')
    .replace(/(?<![\w\\])_(?=\S)([^_\n]+?)(?<=[^\s\\])_(?!\w)/g, '$1')
    .replace(/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/g, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Reads the three common properties of front matter; other YAML or TOML is ignored. */
function frontMatter(source: string) {
  const block = source.slice(0, frontMatterLength(source))
  const property = (name: string) =>
    new RegExp(`^${name}[ \\t]*[:=][ \\t]*(["']?)(.+?)\\1[ \\t]*$`, 'im').exec(block)?.[2]
  return {
    title: chooseTitle(property('title')),
    author: chooseAuthor(property('author')),
    dated: dayOf(property('date')),
  }
}

const frontMatterLength = (source: string): number =>
  /^(?:---\r?\n[\s\S]*?\n(?:---|\.\.\.)|\+\+\+\r?\n[\s\S]*?\n\+\+\+)[ \t]*(?:\r?\n|$)/.exec(source)?.[0].length ?? 0
