import { saveBlob } from '../../lib/ui/save-blob.ts'
import type { HighlightFilter } from './filter.ts'
import { type HighlightFormat, highlightsFile } from './format.ts'
import { fetchHighlights, type Highlight } from './queries.ts'

/** The API's row limit. */
const BATCH = 1000
const TYPES: Readonly<Record<HighlightFormat, string>> = { md: 'text/markdown', csv: 'text/csv' }

type HighlightsExport = {
  library: { id: string; name: string }
  filter: HighlightFilter
  format: HighlightFormat
  name: string
  cite: (documents: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export async function exportHighlights({ library, filter, format, name, cite }: HighlightsExport): Promise<void> {
  const highlights: Highlight[] = []
  for (let full = true; full; ) {
    const page = await fetchHighlights(library.id, filter, { after: highlights.at(-1), size: BATCH })
    highlights.push(...page)
    full = page.length === BATCH
  }
  const citations = await cite([...new Set(highlights.map(({ document_id }) => document_id))])
  const text = highlightsFile(format, { library, highlights, citations, origin: location.origin })
  saveBlob(new Blob([text], { type: TYPES[format] }), `${name}.${format}`)
}
