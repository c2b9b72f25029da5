import { Search } from 'lucide-react'
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Input } from '../../components/input.tsx'
import type { SearchFilter } from '../../domain/document-filter.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { type Completion, completionsOf, parseQuery, type Vocabulary } from './query-syntax.ts'

/** Milliseconds after the last keystroke. */
const PAUSE_MS = 200
/** The limit of search_passages. */
const MAX_LENGTH = 1000

type SearchFieldProps = {
  field: RefObject<HTMLInputElement | null>
  words: string
  label: string
  /** What `field:value` can refer to; without it, all text is words. */
  vocabulary?: Vocabulary
  onSearch: (words: string, filters: Partial<SearchFilter>) => void
  /** Called when the person continues to the results. */
  onLeave: (words: string, filters: Partial<SearchFilter>) => void
}

/** A search field that searches while typing. Typed fields become filters and disappear from the text. */
export function SearchField({ field, words, label, vocabulary, onSearch, onLeave }: SearchFieldProps) {
  const [draft, setDraft] = useState(words)
  const [isFocused, setIsFocused] = useState(false)
  const [closedFor, setClosedFor] = useState<string>()
  const [active, setActive] = useState(-1)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const list = useId()
  useShortcut('/', () => field.current?.select())
  // Back and forward buttons change the words too.
  useEffect(() => {
    if (document.activeElement !== field.current) setDraft(words)
  }, [field, words])
  useEffect(() => () => clearTimeout(timer.current), [])

  const parse = (text: string, isTyping: boolean) =>
    vocabulary ? parseQuery(text, vocabulary, isTyping) : { words: text.trim(), filters: {}, pending: undefined }
  const completions = vocabulary && isFocused && closedFor !== draft ? completionsOf(draft, vocabulary) : undefined
  const options = completions?.options ?? []

  const change = (text: string, more: Partial<SearchFilter> = {}) => {
    clearTimeout(timer.current)
    setActive(-1)
    const parsed = parse(text, true)
    const filters = { ...parsed.filters, ...more }
    const hasFilters = Object.keys(filters).length > 0
    const pending = parsed.pending ? text.slice(parsed.pending.start) : ''
    setDraft(
      hasFilters
        ? [parsed.words, pending].filter(Boolean).join(' ') + (pending || parsed.words === '' ? '' : ' ')
        : text,
    )
    if (hasFilters) onSearch(parsed.words, filters)
    else timer.current = setTimeout(() => onSearch(parsed.words, {}), PAUSE_MS)
  }
  const choose = ({ filter, text }: Completion) => {
    const before = draft.slice(0, completions?.start)
    change(before + (text ?? ''), filter)
    field.current?.focus()
  }
  const submit = () => {
    clearTimeout(timer.current)
    const parsed = parse(draft, false)
    setDraft(parsed.words)
    onSearch(parsed.words, parsed.filters)
    if (parsed.words !== '') onLeave(parsed.words, parsed.filters)
  }
  const step = (by: 1 | -1) => setActive((before) => (before + by + options.length) % options.length)

  return (
    <search className="relative block">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 start-4 size-5 -translate-y-1/2 text-ink-faint"
      />
      <Input
        ref={field}
        type="search"
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={options.length > 0 ? list : undefined}
        aria-activedescendant={options[active] ? `${list}-${active}` : undefined}
        placeholder={t('A question, a phrase in quotes, words you remember…')}
        // With words, people look at the results.
        autoFocus={words === ''}
        autoComplete="off"
        maxLength={MAX_LENGTH}
        value={draft}
        onFocus={() => setIsFocused(true)}
        onBlur={() => setIsFocused(false)}
        onChange={({ target: { value } }) => change(value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          const option = options[active]
          if (event.key === 'Enter') {
            if (option) choose(option)
            else submit()
          } else if (event.key === 'ArrowDown' && options.length > 0) step(1)
          else if (event.key === 'ArrowUp' && options.length > 0) step(-1)
          else if (event.key === 'ArrowDown' && draft.trim() !== '') submit()
          else if (event.key === 'Escape' && options.length > 0) setClosedFor(draft)
          else return
          event.preventDefault()
        }}
        className="h-13 rounded-lg ps-12 text-lg"
      />
      <CompletionList id={list} options={options} active={active} onChoose={choose} />
    </search>
  )
}

type CompletionListProps = {
  id: string
  options: readonly Completion[]
  active: number
  onChoose: (option: Completion) => void
}

/** Completions of the current word. The focus stays in the field. */
function CompletionList({ id, options, active, onChoose }: CompletionListProps) {
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {options.length > 0
          ? t('{count, plural, one {# suggestion} other {# suggestions}}', { count: options.length })
          : ''}
      </p>
      {options.length > 0 ? (
        <div
          id={id}
          role="listbox"
          aria-label={t('Suggestions')}
          className="absolute top-full start-0 z-10 mt-1 w-full max-w-80 overflow-hidden rounded-lg border border-line bg-surface p-1 shadow-lift"
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={option.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(option)}
              className="flex min-h-9 cursor-pointer items-center rounded-md px-3 text-sm hover:bg-hover aria-selected:bg-hover"
            >
              <span dir="auto" className="truncate">
                {option.label}
              </span>
            </div>
          ))}
        </div>
      ) : null}
    </>
  )
}
