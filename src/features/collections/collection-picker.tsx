import { Folder, Library } from 'lucide-react'
import { useRef } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import type { Branch } from './tree.ts'

type CollectionPickerProps = {
  title: string
  collections: readonly Branch[]
  top: string
  onPick: (collection: string | null) => void
  onClose: () => void
}

/** Picks a collection with arrow keys and Enter. Mounted only while open. */
export function CollectionPicker({ title, collections, top, onPick, onClose }: CollectionPickerProps) {
  const list = useRef<HTMLUListElement>(null)
  const pick = (collection: string | null) => {
    onPick(collection)
    onClose()
  }
  const walk = (step: number) => {
    const entries = [...(list.current?.querySelectorAll('button') ?? [])]
    const here = entries.indexOf(document.activeElement as HTMLButtonElement)
    entries[Math.min(entries.length - 1, Math.max(0, here + step))]?.focus()
  }
  const entry =
    'flex min-h-10 w-full items-center gap-2.5 rounded-md px-2.5 text-start text-sm hover:bg-hover focus-visible:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint'
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <ul
        ref={list}
        className="-mx-2 max-h-[50dvh] overflow-y-auto px-1"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          walk(event.key === 'ArrowDown' ? 1 : -1)
        }}
      >
        <li>
          <button type="button" className={entry} onClick={() => pick(null)}>
            <Library aria-hidden />
            {top}
          </button>
        </li>
        {collections.map(({ id, name, depth }) => (
          <li key={id}>
            <button
              type="button"
              className={entry}
              style={{ paddingInlineStart: `calc(${Math.min(depth, 8)} * 1rem + 0.625rem)` }}
              onClick={() => pick(id)}
            >
              <Folder aria-hidden />
              <span dir="auto" className="truncate">
                {name}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
