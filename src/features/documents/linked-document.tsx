import { useQuery } from '@tanstack/react-query'
import { coverAddressQuery } from './covers/cover-address.ts'
import { describeKind } from './kinds.ts'
import { linkedDocumentQuery } from './queries.ts'

type LinkedDocumentProps = { library: string; id: string; label: string; quote?: string | undefined }

/** The face of a document within a link of a note: cover, title and kind. Where the person does not see the document, or without
 *  network, it is the link's own label. */
export function LinkedDocument({ library, id, label, quote }: LinkedDocumentProps) {
  const { data: document } = useQuery(linkedDocumentQuery(library, id))
  const path = document?.version?.cover_path
  const { data: cover } = useQuery({ ...coverAddressQuery(library, path ?? ''), enabled: Boolean(path) })
  if (!document) return label
  const { label: kind, icon: Icon } = describeKind(document)
  return (
    <span className="flex min-h-16 items-center gap-3 overflow-hidden rounded-lg border border-line bg-surface font-sans hover:border-edge">
      {cover ? (
        <img
          src={cover.url}
          alt=""
          className="h-20 w-16 shrink-0 rounded-none border-line border-e object-cover object-top"
        />
      ) : (
        <span className="grid h-16 w-14 shrink-0 place-items-center text-accent">
          <Icon aria-hidden className="size-5" />
        </span>
      )}
      <span className="min-w-0 py-2 pe-3">
        <span dir="auto" className="block truncate font-medium text-[0.9375rem] text-ink">
          {document.title}
        </span>
        <span dir="auto" className="block truncate text-ink-faint text-sm">
          {quote ? `“${quote}”` : kind}
        </span>
      </span>
    </span>
  )
}
