import { useNavigate } from '@tanstack/react-router'
import { MAX_ASKED_DOCUMENTS } from '../../features/ask/limits.ts'
import { CitationMenu } from '../../features/citation/citation-items.tsx'
import type { Card } from '../../features/documents/card.ts'
import { SelectionBar, type SelectionBarProps } from '../../features/documents/shelf/selection-bar.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'

type ShelfSelectionProps = Omit<SelectionBarProps, 'count' | 'onAsk' | 'onCompare' | 'citing'> & {
  library: string
  selected: readonly Card[]
  mayAsk: boolean
}

export function ShelfSelection({ library, selected, mayAsk, ...others }: ShelfSelectionProps) {
  const navigate = useNavigate()
  const ask = () => {
    if (selected.length > MAX_ASKED_DOCUMENTS)
      showToast({
        title: t('You can ask about up to {most} documents at once', { most: MAX_ASKED_DOCUMENTS }),
        failed: true,
      })
    else
      void navigate({
        to: '/l/$library/ask',
        params: { library },
        search: { documents: selected.map(({ id }) => id) },
      })
  }
  const compare = () => {
    const [a, b] = selected.toSorted((one, other) => one.created_at.localeCompare(other.created_at))
    void navigate({ to: '/l/$library/compare', params: { library }, search: { a: a?.id, b: b?.id } })
  }
  if (selected.length === 0) return null
  return (
    <SelectionBar
      count={selected.length}
      onAsk={mayAsk ? ask : undefined}
      onCompare={selected.length === 2 ? compare : undefined}
      citing={<CitationMenu documents={selected.map(({ id }) => id)} />}
      {...others}
    />
  )
}
