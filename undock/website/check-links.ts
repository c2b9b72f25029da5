import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Sentences about links of the built site that lead to no page, no file, or no place on their page.
 *  @param base The path that the site is served at. */
export function deadLinks(dist: string, base: string): string[] {
  const anchors = new Map<string, Set<string>>()
  const anchorsOf = (file: string): Set<string> => {
    const known = anchors.get(file) ?? idsIn(readFileSync(join(dist, file), 'utf8'))
    anchors.set(file, known)
    return known
  }
  return globSync('**/*.html', { cwd: dist })
    .toSorted()
    .flatMap((page) =>
      [...new Set(hrefsIn(readFileSync(join(dist, page), 'utf8')))].flatMap((href) => {
        const [path = '', anchor] = href.split('#', 2)
        const file = path === '' ? page : fileAt(dist, decodeURI(path.slice(base.length - 1)))
        if (file === null) return [`${page} links to ${href}, which does not exist.`]
        if (anchor === undefined || anchor === '' || anchorsOf(file).has(decodeURIComponent(anchor))) return []
        return [`${page} links to ${href}, but that page has no such place.`]
      }),
    )
}

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter((href) => !/^[a-z]+:/i.test(href))

const idsIn = (html: string): Set<string> => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))

/** The file that a server answers an address with. */
function fileAt(dist: string, path: string): string | null {
  const name = path.replace(/^\//, '')
  const candidates = name === '' || name.endsWith('/') ? [`${name}index.html`] : [`${name}.html`, name]
  return candidates.find((file) => existsSync(join(dist, file))) ?? null
}
