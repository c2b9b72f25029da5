import { Link } from '@tanstack/react-router'
import { ExternalLink, History, MessageCircleQuestion, MoonStar, PanelRight, PencilLine } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { StarButton } from '../../features/favorites/star-button.tsx'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { setReadingOptions, useReadingOptions } from '../../features/reader/reading-options.ts'
import { ShareButton } from '../../features/sharing/share-button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import type { Arranging } from '../shelf/use-arranging.tsx'
import { DocumentMenu } from './document-menu.tsx'

export type DocumentToolbarProps = {
  library: string
  document: OpenDocument
  canEdit: boolean
  canShare: boolean
  canAsk: boolean
  isOwner: boolean
  editing: boolean
  onEdit: () => void
  onVersions: () => void
  /** Undefined without text or speech support. */
  onAloud: (() => void) | undefined
  arranging: Arranging
  /** Scrolls to the details below the document on narrow screens. */
  onDetails: () => void
}

export function DocumentToolbar(props: DocumentToolbarProps) {
  const {
    library,
    document,
    canEdit,
    canShare,
    canAsk,
    isOwner,
    editing,
    onEdit,
    onVersions,
    onAloud,
    onDetails,
    arranging,
  } = props
  const { id, title, kind, version } = document
  const { details, dimmed } = useReadingOptions()
  const { has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const star = () => toggleFavorite({ library, document: { id, title, kind, mime_type: version?.mime_type ?? null } })
  useShortcut('s', star)
  const isNote = kind === 'note'
  const versions = t('{count, plural, one {# version} other {# versions}}', { count: version?.number ?? 0 })
  return (
    <>
      <div className={classNames('contents', editing && 'max-sm:hidden')}>
        <StarButton isFavorite={isFavorite(id)} onToggle={star} />
        {isNote && canEdit && !editing ? (
          <Button icon={PencilLine} size="small" onClick={onEdit}>
            <span className="max-sm:sr-only">{t('Edit')}</span>
          </Button>
        ) : null}
        {isNote && version && version.number > 1 ? (
          <Tool label={versions} onClick={onVersions}>
            <History aria-hidden />
          </Tool>
        ) : null}
        {canAsk ? (
          <Tool label={t('Ask this document')} asChild>
            <Link to="/l/$library/ask" params={{ library }} search={{ documents: [id] }}>
              <MessageCircleQuestion aria-hidden />
            </Link>
          </Tool>
        ) : null}
        <ShareButton library={library} document={document} canShare={canShare} />
        {document.url ? (
          <Tool label={t('Open the page')} asChild>
            <a href={document.url} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden />
            </a>
          </Tool>
        ) : null}
        {version?.storage_path ? (
          <Tool
            label={t('Darker pages')}
            aria-pressed={dimmed}
            className="not-dark:hidden aria-pressed:text-accent-strong"
            onClick={() => setReadingOptions({ dimmed: !dimmed })}
          >
            <MoonStar aria-hidden />
          </Tool>
        ) : null}
      </div>
      <DocumentMenu {...{ library, document, canEdit, isOwner, onAloud, arranging }} />
      <Tool
        label={t('Details and comments')}
        aria-pressed={details}
        className="-me-2 max-xl:hidden aria-pressed:text-accent-strong"
        onClick={() => setReadingOptions({ details: !details })}
      >
        <PanelRight aria-hidden className="rtl:-scale-x-100" />
      </Tool>
      <IconButton
        icon={PanelRight}
        label={t('Jump to the details and comments')}
        className="-me-2 xl:hidden rtl:-scale-x-100"
        onClick={onDetails}
      />
    </>
  )
}

function Tool({ label, ...button }: { label: string } & ComponentProps<typeof Button>) {
  return (
    <Tooltip text={label}>
      <Button look="quiet" size="small-icon" aria-label={label} {...button} />
    </Tooltip>
  )
}
