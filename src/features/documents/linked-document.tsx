import { useQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DocumentReference } from '../../domain/note-references.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { coverAddressQuery } from './covers/cover-address.ts'
import { describeKind } from './kinds.ts'
import { linkedDocumentQuery } from './title-queries.ts'

type LinkedDocumentProps = { place: DocumentReference; label: string }

/** A linked document's card: cover, title, and kind or place; the link's label while unknown or offline. */
export function LinkedDocument({ place, label }: LinkedDocumentProps) {
  const { library, document: id, page, quote } = place
  const { data: document } = useQuery(linkedDocumentQuery(library, id))
  const path = document?.version?.cover_path
  const { data: cover } = useQuery({ ...coverAddressQuery(library, path ?? ''), enabled: Boolean(path) })
  if (document === undefined) return label
  if (document === null)
    return <Face icon={<Unlink aria-hidden className="size-5" />} title={label} detail={missing()} />
  const { label: kind, icon: Icon } = describeKind(document)
  return (
    <Face
      icon={<Icon aria-hidden className="size-5" />}
      cover={cover?.url}
      title={document.title}
      detail={quote ? t('“{words}”', { words: quote }) : page ? t('{title}, p. {page}', { title: kind, page }) : kind}
    />
  )
}

type FaceProps = { icon: ReactNode; cover?: string | undefined; title: string; detail: string }

function Face({ icon, cover, title, detail }: FaceProps) {
  return (
    <span className="flex min-h-16 items-center gap-3 overflow-hidden rounded-lg border border-line bg-surface font-sans hover:border-edge">
      {cover ? (
        <img
          src={cover}
          alt=""
          className="h-20 w-16 shrink-0 rounded-none border-line border-e object-cover object-top"
        />
      ) : (
        <span className="grid h-16 w-14 shrink-0 place-items-center text-accent">{icon}</span>
      )}
      <span className="min-w-0 py-2 pe-3">
        <span dir="auto" className="block truncate font-medium text-[0.9375rem] text-ink">
          {title}
        </span>
        <span dir="auto" className="block truncate text-ink-faint text-sm">
          {detail}
        </span>
      </span>
    </span>
  )
}

const missing = () => t('It was deleted, or you don’t have access to it.')

/** Marks an inline link whose target the person can't open. */
export function LinkState({ place }: { place: DocumentReference }) {
  const { data: document } = useQuery(linkedDocumentQuery(place.library, place.document))
  if (document !== null) return null
  return (
    <span title={missing()} className="ms-1 rounded bg-sunken px-1 font-sans text-ink-faint text-xs">
      {t('not available')}
    </span>
  )
}
