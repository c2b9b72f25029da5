import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Link2, NotebookPen, Plus, Quote } from 'lucide-react'
import type { MouseEvent } from 'react'
import { MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
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
  canEdit: boolean
  onDone: () => void
}

/** Copies selected words with their source or a link, or quotes them in a new or recent note. */
export function QuoteMenu({ library, document, anchor, canEdit, onDone }: QuoteMenuProps) {
  const navigate = useNavigate()
  const { data: latest = [] } = useQuery({ ...latestNotesQuery(library), enabled: canEdit })
  const notes = latest.filter(({ id }) => id !== document.id)
  const markdown = quotation(library, document, anchor)
  const copy = async (text: string, title: string) => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ title })
      onDone()
    } catch (error) {
      showFailure(error)
    }
  }
  const tell = (note: string, title: string) => {
    showToast({
      title: t('Inserted into “{title}”', { title }),
      action: {
        label: t('Open'),
        onClick: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: note } }),
      },
    })
  }
  // Callbacks of the hook, because the menu has unmounted by then.
  const adding = useAction(addNote, { onSuccess: (note) => tell(note.id, note.title) })
  const appending = useAction(appendToNote, {
    onSuccess: (_, { note }) => tell(note, notes.find(({ id }) => id === note)?.title ?? ''),
  })
  return (
    <Menu
      trigger={
        <Button icon={Quote} look="quiet" size="small">
          <span className="max-sm:sr-only">{t('Quote')}</span>
        </Button>
      }
    >
      <MenuItem
        icon={Link2}
        onMouseDown={keepSelection}
        onSelect={() =>
          void copy(new URL(addressOf(library, document, anchor), location.origin).href, t('Link copied'))
        }
      >
        {t('Copy the link to this passage')}
      </MenuItem>
      <MenuItem
        icon={Copy}
        onMouseDown={keepSelection}
        onSelect={() => void copy(sourced(document, anchor), t('Passage copied with its source'))}
      >
        {t('Copy with source')}
      </MenuItem>
      {canEdit ? (
        <>
          <MenuSeparator />
          <MenuItem
            icon={Plus}
            onMouseDown={keepSelection}
            onSelect={() => {
              const title = t('Quotes from {title}', { title: document.title }).slice(0, MAX_TITLE)
              adding.mutate({ library, document: crypto.randomUUID(), title, body: markdown, collection: undefined })
              onDone()
            }}
          >
            {t('A new note')}
          </MenuItem>
          {notes.map(({ id, title }) => (
            <MenuItem
              icon={NotebookPen}
              key={id}
              onMouseDown={keepSelection}
              onSelect={() => {
                appending.mutate({ library, note: id, markdown })
                onDone()
              }}
            >
              <span dir="auto" className="max-w-60 truncate">
                {title}
              </span>
            </MenuItem>
          ))}
        </>
      ) : null}
    </Menu>
  )
}

/** Keeps the selection when an entry is pressed. */
const keepSelection = (event: MouseEvent) => event.preventDefault()

type Source = { id: string; title: string }

const addressOf = (library: string, { id }: Source, { quote, page }: Anchor): string =>
  documentAddress(library, id, { ...(page ? { page } : {}), quote })

const nameOf = (title: string, page: number | null): string => (page ? t('{title}, p. {page}', { title, page }) : title)

function quotation(library: string, document: Source, anchor: Anchor): string {
  const name = nameOf(escapeMarkdown(document.title), anchor.page)
  return `${quoteMarkdown(anchor.quote)}\n>\n> — [${name}](${addressOf(library, document, anchor)})`
}

/** Formats a quotation with its source for other programs. */
const sourced = ({ title }: Source, { quote, page }: Anchor): string =>
  t('“{quote}” — {source}', { quote: quote.trim(), source: nameOf(title, page) })
