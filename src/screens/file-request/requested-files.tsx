import { FILE_TYPES } from '../../domain/document-filter.ts'
import type { OpenRequest } from '../../features/file-requests/queries.ts'
import { SendFiles } from '../../features/file-requests/send-files.tsx'
import { useSending } from '../../features/file-requests/use-sending.ts'
import { DropZone } from '../../features/uploads/drop-zone.tsx'
import { formatBytes, formatMoment } from '../../lib/i18n/format.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'

export function RequestedFiles({ token, request }: { token: string; request: OpenRequest }) {
  const sending = useSending(token, request)
  const types = Object.entries(FILE_TYPES).flatMap(([type, label]) =>
    request.allowed_types?.includes(type) ? [t(label)] : [],
  )
  return (
    <>
      <DropZone onFiles={(placed) => sending.add(placed.map(({ file }) => file))} />
      <header className="mb-6 grid gap-3 border-line border-b pb-5">
        <h1 dir="auto" className="text-start font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">
          {request.title}
        </h1>
        {request.words ? (
          <p dir="auto" className="whitespace-pre-line text-start leading-relaxed [overflow-wrap:anywhere]">
            {request.words}
          </p>
        ) : null}
        <ul className="grid gap-0.5 text-ink-soft text-sm">
          <li>{t('Until {date}', { date: formatMoment(request.expires_at) })}</li>
          <li>
            {t('Up to {count, plural, one {one file} other {# files}}, {size} each', {
              count: request.left,
              size: formatBytes(request.largest_bytes),
            })}
          </li>
          {types.length > 0 ? (
            <li>
              {t('Kinds: {types}', {
                types: new Intl.ListFormat(formattingLocale(), { type: 'disjunction' }).format(types),
              })}
            </li>
          ) : null}
        </ul>
      </header>
      <SendFiles {...sending} />
    </>
  )
}
