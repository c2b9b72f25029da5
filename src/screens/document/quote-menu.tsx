import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { NotebookPen, Plus } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { documentAddress } from '../../domain/note-references.ts'
import { addNote } from '../../features/documents/mutations.ts'
import { appendToNote } from '../../features/notes/append-to-note.ts'
import { latestNotesQuery } from '../../features/notes/queries.ts'
import type { Anchor } from '../../features/reader/anchors.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { escapeMarkdown, quoteMarkdown } from '../../lib/markdown.ts'
import { showToast } from '../../lib/ui/toast.ts'

type QuoteMenuProps = {
  library: string
  document: { id: string; title: string }
  anchor: Anchor
  /** The words have been written into a note. */
  onDone: () => void
}

/** Writes selected words into a note, new or one of those written last, as a quotation that says where it is from. */
export function QuoteMenu({ library, document, anchor, onDone }: QuoteMenuProps) {
  const navigate = useNavigate()
  const { data: latest = [] } = useQuery(latestNotesQuery(library))
  const notes = latest.filter(({ id }) => id !== document.id)
  const markdown = quotation(library, document, anchor)
  const tell = (note: string, title: string) => {
    showToast({
      title: t('Written into “{title}”', { title }),
      action: {
        label: t('Open'),
        onClick: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: note } }),
      },
    })
  }
  // The menu is gone by then, and these are called nevertheless.
  const adding = useMutation({ ...addNote, onSuccess: (note) => tell(note.id, note.title), onError: showFailure })
  const appending = useMutation({
    ...appendToNote,
    onSuccess: (_, { note }) => tell(note, notes.find(({ id }) => id === note)?.title ?? ''),
    onError: showFailure,
  })
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small">
          <NotebookPen aria-hidden />
          <span className="max-sm:sr-only">{t('To a note')}</span>
        </Button>
      }
    >
      <MenuItem
        onMouseDown={keepSelection}
        onSelect={() => {
          const title = t('Quotes from {title}', { title: document.title }).slice(0, LONGEST_TITLE)
          adding.mutate({ library, document: crypto.randomUUID(), title, body: markdown, collection: undefined })
          onDone()
        }}
      >
        <Plus aria-hidden />
        {t('A new note')}
      </MenuItem>
      {notes.length > 0 ? <MenuSeparator /> : null}
      {notes.map(({ id, title }) => (
        <MenuItem
          key={id}
          onMouseDown={keepSelection}
          onSelect={() => {
            appending.mutate({ library, note: id, markdown })
            onDone()
          }}
        >
          <NotebookPen aria-hidden />
          <span dir="auto" className="max-w-60 truncate">
            {title}
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}

/** The database's own limit on a title. */
const LONGEST_TITLE = 300

/** The words stay selected when an entry is pressed. */
const keepSelection = (event: MouseEvent) => event.preventDefault()

function quotation(library: string, document: { id: string; title: string }, { quote, page }: Anchor): string {
  const address = documentAddress(library, document.id, { ...(page ? { page } : {}), quote })
  const title = escapeMarkdown(document.title)
  const name = page ? t('{title}, p. {page}', { title, page }) : title
  return `${quoteMarkdown(quote)}\n>\n> — [${name}](${address})`
}
