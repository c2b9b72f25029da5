import { cite } from '../../features/citation/cite.ts'
import { citedItem } from '../../features/citation/cited-item.ts'
import { citedDocuments } from '../../features/citation/queries.ts'
import { formattingLocale } from '../../lib/i18n/i18n.ts'

/** Returns citations in APA style by document id. */
export async function citeDocuments(documents: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lang = formattingLocale().startsWith('de') ? 'de-DE' : 'en-US'
  const cited = await citedDocuments(documents)
  return new Map(cited.map((document) => [document.id, cite([citedItem(document)], 'apa', lang).text]))
}
