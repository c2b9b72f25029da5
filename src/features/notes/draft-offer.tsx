import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { discardDraft } from './drafts.ts'
import { mergeTexts } from './merge-texts.ts'
import { NoteConflict } from './note-conflict.tsx'
import { versionBodyQuery } from './queries.ts'
import type { Writer } from './writing/run-writing.ts'

type Draft = { body: string; based_on: string | null; updated_at: string }
type DraftOfferProps = { library: string; note: string; draft: Draft; writer: Writer }

export function DraftOffer({ library, note, draft, writer }: DraftOfferProps) {
  const discarding = useMutation(discardDraft)
  const base = useQuery({ ...versionBodyQuery(draft.based_on ?? ''), enabled: draft.based_on !== null })
  if (draft.based_on !== null && base.isPending) return null
  const text = writer.text()
  const merged = mergeTexts(base.data?.body ?? '', draft.body, text)
  const end = (chosen: string) => {
    if (chosen !== text) writer.replace(chosen)
    discarding.mutate({ library, note })
    void writer.save()
  }
  if (merged === undefined) {
    return <NoteConflict theirs={text} mine={draft.body} onMine={() => end(draft.body)} onTheirs={() => end(text)} />
  }
  return (
    <Notice tone="info" title={t('You left this unfinished {when}', { when: formatRelativeTime(draft.updated_at) })}>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="small" onClick={() => end(merged)}>
          {t('Insert it into the text')}
        </Button>
        <Button size="small" look="quiet" onClick={() => end(text)}>
          {t('Discard it')}
        </Button>
      </div>
    </Notice>
  )
}
