import type { Editor } from '@tiptap/core'
import { useEffect, useId } from 'react'
import { createPortal } from 'react-dom'
import { MENU } from '../../../components/menu-styles.ts'
import { useStore } from '../../../lib/store.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { MenuStore } from './menu-store.ts'

/** A menu that opens while typing. The focus stays in the text, whose keys control the list (aria-activedescendant). */
export function TypingMenu({ editor, store }: { editor: Editor; store: MenuStore }) {
  const open = useStore(store)
  const id = useId()
  const isOpen = open !== undefined && open.entries.length > 0
  const active = isOpen ? `${id}-${open.chosen}` : undefined
  useEffect(() => {
    if (!active) return
    const { dom } = editor.view
    dom.setAttribute('aria-controls', id)
    dom.setAttribute('aria-activedescendant', active)
    document.getElementById(active)?.scrollIntoView({ block: 'nearest' })
    return () => {
      dom.removeAttribute('aria-controls')
      dom.removeAttribute('aria-activedescendant')
    }
  }, [editor, id, active])
  if (!isOpen) return null
  return createPortal(
    <div
      id={id}
      role="listbox"
      aria-label={open.label}
      tabIndex={-1}
      className={classNames(MENU, 'max-h-80 w-[min(24rem,calc(100vw-2rem))]')}
    >
      {open.entries.map((entry, index) => (
        <div
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === open.chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            open.choose(entry)
          }}
          className={classNames(
            'flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm hover:bg-hover',
            index === open.chosen && 'bg-hover',
          )}
        >
          {entry.icon ? <entry.icon aria-hidden className="size-4 shrink-0 text-ink-faint" /> : null}
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {entry.label}
          </span>
          {entry.hint ? (
            <span className="max-w-[45%] shrink-0 truncate text-ink-faint text-xs">
              <bdi>{entry.hint}</bdi>
            </span>
          ) : null}
        </div>
      ))}
    </div>,
    open.element,
  )
}
