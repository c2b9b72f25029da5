import { BookOpen, FilterX, FolderOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { t } from '../../../lib/i18n/i18n.ts'

type EmptyShelfProps = {
  filtered: boolean
  inCollection: boolean
  canEdit: boolean
  onClear: () => void
  onPick: () => void
  /** Undefined for people who can't create collections, which folders become. */
  onPickFolder: (() => void) | undefined
  onWrite: () => void
  more: ReactNode
}

export function EmptyShelf(props: EmptyShelfProps) {
  const { filtered, inCollection, canEdit, onClear, onPick, onPickFolder, onWrite, more } = props
  if (filtered) {
    return (
      <EmptyState
        icon={FilterX}
        title={t('This shelf is empty')}
        action={<Button onClick={onClear}>{t('Show all documents')}</Button>}
      >
        {canEdit
          ? t('No document matches these filters. Drop files here to add them to this shelf.')
          : t('No document matches these filters.')}
      </EmptyState>
    )
  }
  const place = inCollection
    ? { icon: FolderOpen, title: t('This collection is empty') }
    : { icon: BookOpen, title: t('An empty shelf') }
  if (!canEdit) {
    return (
      <EmptyState {...place}>{t('Nothing has been added yet. New documents appear here automatically.')}</EmptyState>
    )
  }
  return (
    <>
      <EmptyState
        {...place}
        action={
          <>
            <Button look="primary" onClick={onPick}>
              {t('Choose files')}
            </Button>
            {onPickFolder ? <Button onClick={onPickFolder}>{t('Choose a folder')}</Button> : null}
            <Button onClick={onWrite}>{t('Write a note')}</Button>
          </>
        }
      >
        {inCollection
          ? t('Drop files or a folder anywhere on this page to add them to this collection.')
          : t(
              'Drop files or a folder anywhere on this page, or paste a link or text: PDF, Word, EPUB, Markdown, web pages, spreadsheets, text, pictures and any other file up to 50 MB. They’re read as they arrive, and then every passage is searchable.',
            )}
      </EmptyState>
      {inCollection ? null : more}
    </>
  )
}
