import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type Ref, type RefObject, useImperativeHandle, useRef } from 'react'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { DocumentHits } from './document-hits.tsx'
import { groupByDocument } from './hits.ts'
import type { Hit } from './queries.ts'
import type { Expansion } from './use-expanded-documents.ts'

/** Rows are marked `data-row`. */
const rowsOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
]

const positionIn = (rows: readonly Element[]): number =>
  document.activeElement ? rows.indexOf(document.activeElement) : -1

/** Focuses the first result. @returns whether there is one. */
function focusFirstRow(list: HTMLElement | null): boolean {
  const [first] = rowsOf(list)
  first?.focus()
  return first !== undefined
}

/** Navigates rows: j and k from anywhere but a field; arrows, Home and End from a row. Moves the focus, so that Enter
 *  opens the row and screen readers read it.
 *  @param onLeave Escape on a row, or up from the first one.
 *  @returns the list's key handler. */
function useResultKeys(list: RefObject<HTMLElement | null>, onLeave: () => void) {
  const go = (step: 1 | -1) => {
    const rows = rowsOf(list.current)
    const current = positionIn(rows)
    rows[current + step]?.focus()
  }
  useShortcut('j', () => go(1))
  useShortcut('k', () => go(-1))
  return (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const rows = rowsOf(list.current)
    const current = positionIn(rows)
    if (current === -1) return
    if (event.key === 'Escape' || (event.key === 'ArrowUp' && current === 0)) onLeave()
    else if (event.key === 'ArrowDown') go(1)
    else if (event.key === 'ArrowUp') go(-1)
    else if (event.key === 'Home') rows[0]?.focus()
    else if (event.key === 'End') rows.at(-1)?.focus()
    else return
    event.preventDefault()
  }
}

export type SearchResultsHandle = { focusFirst: () => boolean }

type SearchResultsProps = {
  ref?: Ref<SearchResultsHandle>
  hits: readonly (Hit & { library_id?: string; library_name?: string })[]
  /** The searched library; without it, each hit shows its own. */
  library?: string
  /** The query, for the link back from the reader. */
  query: string
  /** Fetches all passages of a document; without it, only the first are shown. */
  onMore?: (document: string) => void
  expanded?: ReadonlyMap<string, Expansion>
  onOpen: () => void
  onLeave: () => void
}

export function SearchResults({ ref, hits, library, query, onMore, expanded, onOpen, onLeave }: SearchResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = useResultKeys(list, onLeave)
  useImperativeHandle(ref, () => ({ focusFirst: () => focusFirstRow(list.current) }))
  const byLibrary = Map.groupBy(hits, ({ library_id }) => library ?? library_id ?? '')

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows in it have the focus, and their keys bubble up to it
    <div ref={list} onKeyDown={onKeyDown} className="grid grid-cols-[minmax(0,1fr)] gap-8">
      {[...byLibrary].map(([place, found]) => {
        const groups = groupByDocument(found).map((passages) => (
          <DocumentHits
            key={passages[0]?.document_id}
            level={library ? 2 : 3}
            library={place}
            query={query}
            passages={passages}
            expansion={expanded?.get(passages[0]?.document_id ?? '')}
            onMore={onMore}
            onOpen={onOpen}
          />
        ))
        if (library) return groups
        const name = found[0]?.library_name
        return (
          <section key={place} aria-label={name} className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <h2 className="border-line border-b pb-1.5">
              <Link
                dir="auto"
                to="/l/$library/search"
                params={{ library: place }}
                search={{ q: query }}
                className="eyebrow rounded hover:text-accent-strong"
              >
                {name}
              </Link>
            </h2>
            {groups}
          </section>
        )
      })}
      <p className="sr-only">
        {t('Move through the results with j and k, open with Enter, go back to the field with /.')}
      </p>
    </div>
  )
}
