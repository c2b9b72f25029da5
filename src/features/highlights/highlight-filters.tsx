import { CalendarDays, FileText, FilterX, Folder, Highlighter, UserRound } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Chip, FilterButton, FilterMenus } from '../../components/filters.tsx'
import { Input } from '../../components/input.tsx'
import { PERIODS } from '../../domain/document-filter.ts'
import { PERIOD_LABELS } from '../../domain/filters.ts'
import { HIGHLIGHT_COLORS } from '../../domain/highlight-colors.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import type { FilterChange, HighlightFilter } from './filter.ts'

/** Milliseconds after the last keystroke. */
const PAUSE_MS = 200
/** The limit of find_highlights. */
const MAX_LENGTH = 300

type Named = { id: string; name: string }

type HighlightFiltersProps = {
  filter: HighlightFilter
  /** The current user comes first. */
  people: readonly Named[]
  collections: readonly Named[]
  /** The filtered document's title; undefined until it's known. */
  title: string | undefined
  onFilter: (change: FilterChange) => void
  children: ReactNode
}

export function HighlightFilters({ filter, people, collections, title, onFilter, children }: HighlightFiltersProps) {
  const named = (all: readonly Named[]) => all.map(({ id, name }) => ({ value: id, label: name }))
  const menus = [
    {
      key: 'person',
      label: t('Highlighted by'),
      icon: UserRound,
      options: [{ value: '', label: t('Anyone') }, ...named(people)],
    },
    {
      key: 'color',
      label: t('Colour'),
      icon: Highlighter,
      options: [
        { value: '', label: t('Every colour') },
        ...translated(HIGHLIGHT_COLORS),
        { value: 'comment', label: t('With a comment') },
      ],
    },
    {
      key: 'collection',
      label: t('Collection'),
      icon: Folder,
      options: [{ value: '', label: t('Every collection') }, ...named(collections)],
    },
    {
      key: 'since',
      label: t('Time'),
      icon: CalendarDays,
      options: [
        { value: '', label: t('Any time') },
        ...PERIODS.map((value) => ({ value, label: t(PERIOD_LABELS[value]) })),
      ],
    },
  ] as const
  const filters = menus
    // Hide filters with nothing to choose from.
    .filter(({ key, options }) => options.length > (key === 'person' ? 2 : 1) || filter[key] !== undefined)
    .map(({ key, ...menu }) => ({
      ...menu,
      value: filter[key] ?? '',
      onChange: (value: string) => onFilter({ [key]: value || undefined }),
    }))
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <search aria-label={t('Narrow the highlights')} className="flex flex-wrap items-center gap-1.5">
      <Words words={filter.q ?? ''} onWords={(q) => onFilter({ q: q || undefined })} />
      <FilterButton filters={filters} className="sm:hidden" />
      <div className="hidden flex-wrap items-center gap-1.5 sm:flex">
        <FilterMenus filters={filters} />
      </div>
      {filter.document ? (
        <Chip
          icon={FileText}
          name={t('Document')}
          value={title ?? t('One document')}
          onRemove={() => onFilter({ document: undefined })}
        />
      ) : null}
      {isFiltered ? (
        <Button icon={FilterX} size="small" look="quiet" onClick={() => onFilter(NO_FILTER)}>
          {t('Clear')}
        </Button>
      ) : null}
      <div className="ms-auto">{children}</div>
    </search>
  )
}

function Words({ words, onWords }: { words: string; onWords: (words: string) => void }) {
  const [draft, setDraft] = useState(words)
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Filters may be cleared, or the browser may go back, without the field.
  useEffect(() => {
    if (document.activeElement !== field.current) setDraft(words)
  }, [words])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <Input
      ref={field}
      type="search"
      aria-label={t('Search highlights by words or title')}
      placeholder={t('Words, or a title')}
      maxLength={MAX_LENGTH}
      value={draft}
      onChange={({ target }) => {
        setDraft(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => onWords(target.value.trim()), PAUSE_MS)
      }}
      className="mb-1 h-9 basis-full text-sm"
    />
  )
}

export const NO_FILTER: FilterChange = {
  q: undefined,
  person: undefined,
  color: undefined,
  collection: undefined,
  document: undefined,
  since: undefined,
}
