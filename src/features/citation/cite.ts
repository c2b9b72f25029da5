import { Cite, plugins } from '@citation-js/core'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-csl'
import type { citedItem } from './cited-item.ts'
import chicago from './styles/chicago-author-date.csl?raw'
import mla from './styles/modern-language-association.csl?raw'

export type CitationStyle = 'apa' | 'mla' | 'chicago' | 'bibtex'

const { styles } = plugins.config.get('@csl')
styles.add('mla', mla)
styles.add('chicago', chicago)

/** Formats a list of references as text and, for styles with formatting, as HTML.
 *  @param lang Language of words like “and”: en-US, de-DE, fr-FR, es-ES or nl-NL. */
export function cite(
  items: readonly ReturnType<typeof citedItem>[],
  style: CitationStyle,
  lang: string,
): { text: string; html?: string } {
  const list = new Cite(items)
  if (style === 'bibtex') return { text: list.format('bibtex').trim() }
  const written = (format: 'text' | 'html') => list.format('bibliography', { style, lang, format }).trim()
  return { text: written('text'), html: written('html') }
}
