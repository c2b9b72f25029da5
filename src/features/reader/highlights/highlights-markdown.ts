import { colorOf } from '../../../domain/highlight-colors.ts'
import { formatDate } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { escapeMarkdown, quoteMarkdown } from '../../../lib/markdown.ts'
import type { Comment } from '../queries.ts'

type Source = {
  title: string
  /** The document's URL, to which the comment's id is appended. */
  address: string
  marks: readonly Comment[]
  /** All comments, for the replies to a mark. */
  comments: readonly Comment[]
}

/** Exports highlights and commented passages as Markdown: quote, page, color, author, replies and a link. */
export function highlightsToMarkdown({ title, address, marks, comments }: Source): string {
  const parts = marks.map((mark) => {
    const words = mark.body === '' ? '' : `${markdownOf(mark)}\n\n`
    const answers = comments.filter(({ parent_id }) => parent_id === mark.id)
    const said = answers.map((answer) => `- ${markdownOf(answer).replaceAll('\n', '\n  ')}\n`).join('')
    return `${quoteMarkdown(mark.quote ?? '')}\n\n${placeOf(mark, address)}\n\n${words}${said && `${said}\n`}`
  })
  return `# ${t('Highlights in “{title}”', { title: escapeMarkdown(title) })}\n\n${parts.join('')}`
    .trimEnd()
    .concat('\n')
}

const authorOf = ({ author }: Comment): string => author?.display_name ?? t('Former member')

function placeOf(mark: Comment, address: string): string {
  const facts = [
    mark.page ? t('Page {page}', { page: mark.page }) : '',
    mark.body === '' ? t(colorOf(mark.color).label) : t('Comment'),
    escapeMarkdown(authorOf(mark)),
    formatDate(mark.created_at),
  ]
  return `— ${facts.filter(Boolean).join(', ')}: [${t('Open in Carrel')}](${address}?comment=${mark.id})`
}

const markdownOf = (comment: Comment): string =>
  `**${escapeMarkdown(authorOf(comment))}:** ${escapeMarkdown(comment.body)}`
