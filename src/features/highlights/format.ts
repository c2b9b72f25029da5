import { colorOf } from '../../domain/highlight-colors.ts'
import { readableMentions } from '../../domain/note-references.ts'
import { csvBeginning, csvRow } from '../../lib/csv.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { escapeMarkdown, quoteMarkdown } from '../../lib/markdown.ts'
import type { Highlight } from './queries.ts'

export type HighlightFormat = 'md' | 'csv'

type Exported = {
  library: { id: string; name: string }
  highlights: readonly Highlight[]
  citations: ReadonlyMap<string, string>
  origin: string
}

const COLUMNS = ['quote', 'comment', 'color', 'page', 'person', 'created', 'document', 'citation', 'link'] as const

/** Renders highlights as Markdown, grouped by document below its citation, or as CSV. */
export function highlightsFile(format: HighlightFormat, exported: Exported): string {
  return format === 'md' ? markdown(exported) : csv(exported)
}

function markdown({ library, highlights, citations, origin }: Exported): string {
  const parts = [...Map.groupBy(highlights, ({ document_id }) => document_id)].flatMap(([document, marks]) => [
    `## ${escapeMarkdown(marks[0]?.document.title ?? '')}`,
    escapeMarkdown(citations.get(document) ?? ''),
    ...marks
      .toSorted(inText)
      .flatMap((mark) => [
        quoteMarkdown(mark.quote ?? ''),
        `— ${factsOf(mark).map(escapeMarkdown).join(', ')}: [${t('Open in Carrel')}](${addressOf(origin, library.id, mark)})`,
        mark.body && escapeMarkdown(readableMentions(mark.body)),
      ]),
  ])
  const heading = `# ${t('Highlights in “{title}”', { title: escapeMarkdown(library.name) })}`
  return `${[heading, ...parts].filter(Boolean).join('\n\n')}\n`
}

const csv = ({ library, highlights, citations, origin }: Exported): string =>
  csvBeginning(COLUMNS) +
  highlights
    .map((mark) =>
      csvRow([
        mark.quote ?? '',
        readableMentions(mark.body),
        mark.body === '' ? colorOf(mark.color).value : '',
        mark.page === null ? '' : String(mark.page),
        mark.author?.display_name ?? '',
        new Date(mark.created_at).toISOString(),
        mark.document.title,
        citations.get(mark.document_id) ?? '',
        addressOf(origin, library.id, mark),
      ]),
    )
    .join('')

const inText = (one: Highlight, other: Highlight): number =>
  (one.page ?? 0) - (other.page ?? 0) || (one.start_offset ?? 0) - (other.start_offset ?? 0)

const factsOf = ({ page, body, color, author, created_at }: Highlight): string[] => [
  ...(page ? [t('Page {page}', { page })] : []),
  body === '' ? t(colorOf(color).label) : t('Comment'),
  author?.display_name ?? t('Former member'),
  formatDate(created_at),
]

const addressOf = (origin: string, library: string, { id, document_id }: Highlight): string =>
  `${origin}/l/${library}/d/${document_id}?comment=${id}`
