import { Search } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'

export function EverywhereForm({ onSearch }: { onSearch: (words: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', () => field.current?.select())
  const submit = () => {
    const words = field.current?.value.trim()
    if (words) onSearch(words)
  }
  return (
    <search className="mb-8 block max-w-xl">
      <Form onSubmit={submit} className="flex gap-2">
        <div className="relative flex-1">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 start-3 size-4 -translate-y-1/2 text-ink-faint"
          />
          <Input
            ref={field}
            type="search"
            aria-label={t('Search the passages of all libraries')}
            placeholder={t('Search all libraries…')}
            maxLength={1000}
            className="ps-9"
          />
        </div>
        <Button type="submit">{t('Search')}</Button>
      </Form>
    </search>
  )
}
