import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Names of imports rather than files. */
const PUBLISHED = new Set(['undock/vitest', 'undock/playwright'])

/** Sentences about links to files that do not exist, and about paths in backquotes that name none.
 *  @param root The folder that no link may leave.
 *  @param pages Patterns of Markdown files below it.
 *  @param bases The folders that a path in backquotes may be relative to; `{page}` is the page's own name. */
export function deadReferences(root: string, pages: readonly string[], bases: readonly string[]): string[] {
  return globSync(pages, { cwd: root, exclude: ['**/node_modules/**'] })
    .toSorted()
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      const links = linksIn(text)
        .filter((link) => join(dirname(page), link).startsWith('..') || !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page} links to ${link}, which does not exist here.`)
      // A decision that is no longer valid names files of its time.
      const paths = (/^\*Replaced by /m.test(text) ? [] : pathsIn(text))
        .filter(
          (path) => !bases.some((base) => existsSync(join(root, base.replace('{page}', basename(page, '.md')), path))),
        )
        .map((path) => `${page} names ${path}, which does not exist.`)
      return [...links, ...paths]
    })
}

/** The paths of relative links and pictures, without fragments. */
const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** A text without its blocks and spans of code. */
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')

/** Text in backquotes that is a path below a folder. A single name is not checked: its sentence says where it is. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w@.$-]+(?:\/[\w@.$-]+)+\/?)`/g)]
    .map(([, path = '']) => path)
    .filter(
      (path) =>
        /\.(?:ts|tsx|sql|md|yml)$|\/$/.test(path) &&
        !PUBLISHED.has(path) &&
        !path.startsWith('@') &&
        !path.includes('.undock'),
    )
