import { BookOpen, FilterX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'

type EmptyShelfProps = {
  filtered: boolean
  canEdit: boolean
  onClear: () => void
  onPick: () => void
  onWrite: () => void
}

export function EmptyShelf({ filtered, canEdit, onClear, onPick, onWrite }: EmptyShelfProps) {
  if (filtered) {
    return (
      <EmptyState
        icon={FilterX}
        title="Nothing on this shelf"
        action={<Button onClick={onClear}>Show all documents</Button>}
      >
        No document matches what you chose.{canEdit ? ' Drop files here to put them on this very shelf.' : ''}
      </EmptyState>
    )
  }
  if (!canEdit) {
    return (
      <EmptyState icon={BookOpen} title="An empty shelf">
        Nobody has added anything yet. What its editors put in appears here by itself.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={BookOpen}
      title="An empty shelf"
      action={
        <>
          <Button look="primary" onClick={onPick}>
            Choose files
          </Button>
          <Button onClick={onWrite}>Write a note</Button>
        </>
      }
    >
      Drop files or a folder anywhere on this page, or paste a link or a text: PDF, Word, EPUB, Markdown, web pages,
      tables, text, pictures, up to 50 MB each. They are read as they arrive; then every passage can be found.
    </EmptyState>
  )
}
