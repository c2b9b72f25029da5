import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'

/** Milliseconds after the last keystroke until the search starts. */
const PAUSE_MS = 200

type SearchFieldProps = { words: string; onWords: (words: string) => void }

export function SearchField({ words, onWords }: SearchFieldProps) {
  const [draft, setDraft] = useState(words)
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useShortcut('/', () => field.current?.select())
  // The browser's back and forward buttons change the words too.
  useEffect(() => {
    if (document.activeElement !== field.current) setDraft(words)
  }, [words])
  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <search className="relative block">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-4 size-5 -translate-y-1/2 text-ink-faint"
      />
      <Input
        ref={field}
        type="search"
        aria-label={t('Search the passages of this library')}
        placeholder={t('A question, a phrase in quotes, words you remember…')}
        autoFocus
        maxLength={1000}
        value={draft}
        onChange={({ target: { value } }) => {
          setDraft(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onWords(value.trim()), PAUSE_MS)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          clearTimeout(timer.current)
          onWords(draft.trim())
        }}
        className="h-13 rounded-lg pl-12 text-lg"
      />
    </search>
  )
}
