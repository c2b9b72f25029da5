import { BookOpen, FilterX } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { t } from '../../../lib/i18n/i18n.ts'

type EmptyShelfProps = {
  filtered: boolean
  canEdit: boolean
  onClear: () => void
  onPick: () => void
  onWrite: () => void
}

export function EmptyShelf({ filtered, canEdit, onClear, onPick, onWrite }: EmptyShelfProps) {
  if (filtered) {
    return (
      <EmptyState
        icon={FilterX}
        title={t('Nothing on this shelf')}
        action={<Button onClick={onClear}>{t('Show all documents')}</Button>}
      >
        {canEdit
          ? t('No document matches what you chose. Drop files here to put them on this very shelf.')
          : t('No document matches what you chose.')}
      </EmptyState>
    )
  }
  if (!canEdit) {
    return (
      <EmptyState icon={BookOpen} title={t('An empty shelf')}>
        {t('Nothing has been added yet. New documents appear here automatically.')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={BookOpen}
      title={t('An empty shelf')}
      action={
        <>
          <Button look="primary" onClick={onPick}>
            {t('Choose files')}
          </Button>
          <Button onClick={onWrite}>{t('Write a note')}</Button>
        </>
      }
    >
      {t(
        'Drop files or a folder anywhere on this page, or paste a link or a text: PDF, Word, EPUB, Markdown, web pages, tables, text, pictures and any other file, up to 50 MB each. They are read as they arrive; then every passage can be found.',
      )}
    </EmptyState>
  )
}
