import { BookOpen, FilterX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'

type EmptyShelfProps = { filtered: boolean; onClear: () => void; onPick: () => void; onWrite: () => void }

export function EmptyShelf({ filtered, onClear, onPick, onWrite }: EmptyShelfProps) {
  if (filtered) {
    return (
      <EmptyState
        icon={FilterX}
        title="Nothing on this shelf"
        action={<Button onClick={onClear}>Show all documents</Button>}
      >
        No document matches what you chose. Drop files here to put them on this very shelf.
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
      Drop files anywhere on this page: PDF, Markdown, web pages, text, pictures, up to 50 MB each. They are read as
      they arrive; then every passage can be found.
    </EmptyState>
  )
}
