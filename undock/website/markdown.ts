import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { addressOf, NO_PAGES } from './pages.ts'

const UNDOCK = join(import.meta.dirname, '..')
const REPOSITORY = join(UNDOCK, '..')

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
const SOURCES = GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/HEAD` : null

/** Renders the repository's Markdown: links between files become links of the site, tables are focusable, and code blocks show their
 *  file or why their commands are not tested. Links to other files lead to the repository if it is known (GITHUB_SERVER_URL,
 *  GITHUB_REPOSITORY), otherwise their text is not linked.
 *  @throws {Error} at a link to a file that does not exist. */
export function readMarkdown(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...others) => {
    const token = tokens[index]
    if (!token || !fence) return ''
    const [, language, path, reason] = /^(\w+) (?:\[(.+)\]|not run: (.+))$/.exec(token.info) ?? []
    if (language === undefined) return fence(tokens, index, ...others)
    token.info = language
    const note = path ?? `Not tried by our tests: ${reason}`
    return `<p class="block-note">${markdown.utils.escapeHtml(note)}</p>${fence(tokens, index, ...others)}`
  }
  // Double braces in code are not template expressions.
  markdown.renderer.rules.code_inline = (tokens, index) =>
    `<code v-pre>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code>`
  markdown.core.ruler.after('inline', 'source-links', ({ tokens, env }) => {
    const page: string = env.realPath ?? env.path
    for (const [index, token] of tokens.entries()) {
      // A table's empty corner isn't a heading.
      if (token.type === 'th_open' && tokens[index + 1]?.content === '')
        for (const part of [token, tokens[index + 2]]) if (part) part.tag = 'td'
      // A wide table scrolls on a phone, and the keyboard must reach what scrolls.
      if (token.type === 'table_open') token.attrSet('tabindex', '0')
      if (!token.children) continue
      let isDropped = false
      token.children = token.children.filter((child) => {
        if (child.type === 'link_close' && isDropped) {
          isDropped = false
          return false
        }
        if (child.type !== 'link_open') return true
        const place = placeOf(page, child.attrGet('href') ?? '')
        if (place === null) isDropped = true
        else child.attrSet('href', place)
        return place !== null
      })
    }
  })
}

/** @returns null where the link leads nowhere on the site. */
function placeOf(page: string, href: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/i.test(href) || href === '') return href
  const [path = '', anchor] = decodeURI(href).split('#', 2)
  const target = join(dirname(page), path)
  if (!existsSync(target)) throw new Error(`${relative(UNDOCK, page)} links to ${href}, which does not exist.`)
  const file = relative(UNDOCK, target).split(sep).join('/')
  const isPage =
    file.endsWith('.md') && !file.startsWith('..') && !NO_PAGES.some((one) => file.startsWith(one.replace('**', '')))
  if (isPage) return addressOf(file) + (anchor === undefined ? '' : `#${anchor}`)
  if (SOURCES === null || !statSync(target).isFile()) return null
  return `${SOURCES}/${relative(REPOSITORY, target).split(sep).join('/')}`
}

/** A page as Markdown whose links are those of the site, with what it includes.
 *  @param file Its absolute path. */
export function textWithLinks(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/<!--\s*@include:\s*([^#\s]+)#(\S+)\s*-->/g, (_, path: string, region: string) => {
      const included = join(dirname(file), path)
      return regionOf(readFileSync(included, 'utf8'), region)
    })
    .replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
      const place = placeOf(file, href)
      return place === null ? link.replace(/\(.*\)$/, '') : `](${place})`
    })
}

/** The part of a page between two comments. */
function regionOf(text: string, region: string): string {
  const [, inner = ''] = text.split(new RegExp(`<!-- #(?:end)?region ${region} -->\\n`))
  return inner
}
