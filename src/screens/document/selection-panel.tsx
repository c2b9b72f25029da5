import { useMutation } from '@tanstack/react-query'
import { showFailure } from '../../domain/failure-toast.ts'
import type { Anchor, Selected } from '../../features/reader/anchors.ts'
import { addComment } from '../../features/reader/mutations.ts'
import { SelectionMenu } from '../../features/reader/selection-menu.tsx'
import { QuoteMenu } from './quote-menu.tsx'

type SelectionPanelProps = {
  library: string
  document: { id: string; title: string }
  canEdit: boolean
  selected: Selected
  onComment: (anchor: Anchor) => void
  onDone: () => void
}

/** Highlights selected words, comments on them, copies them, or writes them into a note. */
export function SelectionPanel({ library, document, canEdit, selected, onComment, onDone }: SelectionPanelProps) {
  const highlighting = useMutation({ ...addComment, onError: showFailure })
  const done = () => {
    getSelection()?.removeAllRanges()
    onDone()
  }
  return (
    <SelectionMenu
      selected={selected}
      onHighlight={(color) => {
        const id = crypto.randomUUID()
        highlighting.mutate({ id, library, document: document.id, body: '', anchor: selected, color })
        done()
      }}
      onComment={() => {
        onComment({ page: selected.page, quote: selected.quote, start: selected.start ?? null })
        done()
      }}
    >
      <QuoteMenu library={library} document={document} anchor={selected} canEdit={canEdit} onDone={done} />
    </SelectionMenu>
  )
}
